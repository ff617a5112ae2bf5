/**
 * Shapes of well-known credentials, by the prefixes that their issuers publish for scanners. All are bounded; what follows
 * in the same alphabet belongs to the token and goes with it.
 */
/** What stands between a name and its value in a shell, a file of settings or JSON, which may itself be quoted. */
const named = "\\\\?[\"']?\\s{0,3}[=:]\\s{0,3}\\\\?[\"']?"

const shapes: readonly string[] = [
  // OpenAI, Anthropic, OpenRouter and others that write `sk-`
  "sk-[A-Za-z0-9_-]{20,200}",
  // Stripe
  "[rs]k_(?:live|test)_[A-Za-z0-9]{16,200}",
  "whsec_[A-Za-z0-9+/=]{24,100}",
  // GitHub, GitLab
  "gh[pousr]_[A-Za-z0-9]{36,255}",
  "github_pat_[A-Za-z0-9_]{22,255}",
  "gl(?:pat|ptt|rt|dt|oas|ft|cbt|agent|soat|imt)-[A-Za-z0-9_-]{20,100}",
  // AWS: key ids, and secrets where they are named
  "(?:AKIA|ASIA)[A-Z0-9]{16}(?![A-Za-z0-9])",
  `(?:aws_|AWS_)?[Ss](?:ecret|ECRET)_?[Aa](?:ccess|CCESS)_?[Kk](?:ey|EY)${named}[A-Za-z0-9/+]{40}`,
  // Google
  "AIza[A-Za-z0-9_-]{35}",
  "ya29\\.[A-Za-z0-9_-]{20,400}",
  "GOCSPX-[A-Za-z0-9_-]{28}",
  // Slack, Telegram
  "xox[abeoprs]-[A-Za-z0-9-]{10,250}",
  "xapp-\\d-[A-Za-z0-9-]{10,250}",
  "hooks\\.slack\\.com/services/[A-Za-z0-9/]{20,100}",
  "\\d{8,10}:AA[A-Za-z0-9_-]{33}",
  "discord(?:app)?\\.com/api/webhooks/\\d{17,20}/[A-Za-z0-9_-]{60,100}",
  "[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,40}",
  // Registries and platforms
  "npm_[A-Za-z0-9]{36}",
  "pypi-[A-Za-z0-9_-]{50,400}",
  "hf_[A-Za-z0-9]{30,100}",
  "do[opr]_v1_[a-f0-9]{64}",
  "dckr_[op]at_[A-Za-z0-9_-]{27,100}",
  "rubygems_[a-f0-9]{48}",
  "hv[sbr]\\.[A-Za-z0-9_-]{24,300}",
  "dapi[a-f0-9]{32}",
  "glsa_[A-Za-z0-9]{32}_[a-fA-F0-9]{8}",
  "ATATT3[A-Za-z0-9_=-]{100,300}",
  "ntn_[A-Za-z0-9]{40,60}",
  "secret_[A-Za-z0-9]{43}(?![A-Za-z0-9])",
  "figd_[A-Za-z0-9_-]{40,60}",
  "sbp_[a-f0-9]{40}",
  "pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.=-]{32,64}",
  "sntry[su]_[A-Za-z0-9+/=_-]{40,400}",
  "PMAK-[a-f0-9]{24}-[a-f0-9]{34}",
  "NRAK-[A-Z0-9]{27}",
  "key-[a-f0-9]{32}(?![A-Za-z0-9])",
  "tskey-[a-z]{2,10}-[A-Za-z0-9-]{20,100}",
  "AGE-SECRET-KEY-1[A-Z0-9]{58}",
  "shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}",
  "sq0(?:atp|csp)-[A-Za-z0-9_-]{22,60}",
  "SG\\.[A-Za-z0-9_-]{16,32}\\.[A-Za-z0-9_-]{16,64}",
  "SK[0-9a-f]{32}(?![A-Za-z0-9])",
  "lin_api_[A-Za-z0-9]{32,60}",
  "AccountKey=[A-Za-z0-9+/]{80,90}={0,2}",
  "gsk_[A-Za-z0-9]{30,100}",
  "xai-[A-Za-z0-9]{30,200}",
  "pplx-[A-Za-z0-9]{40,60}",
  "r8_[A-Za-z0-9]{37}",
  // this project's own
  "gw[gm]?-v1-[A-Za-z0-9]{49}",
  // JSON Web Tokens (RFC 7519)
  "eyJ[A-Za-z0-9_-]{8,2048}\\.eyJ[A-Za-z0-9_-]{8,4096}\\.[A-Za-z0-9_-]{8,1024}",
  // headers
  "[Bb](?:earer|EARER) [A-Za-z0-9._~+/-]{20,1024}={0,2}",
  // PEM (RFC 7468) and its like of OpenPGP, also where the end is missing
  "-----BEGIN [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----)){0,8192}(?:-----END [A-Z ]{0,30}PRIVATE KEY(?: BLOCK)?-----)?"
]

export const secretExpression = new RegExp(`(?<![A-Za-z0-9])(?:${shapes.join("|")})`, "g")

export const secretWidest = 8_400

const rest = /[A-Za-z0-9_-]*/y

/** A token longer than its shape allows is taken whole. */
export const secretEnd = (text: string, _start: number, end: number): number => {
  if (text.endsWith("-----", end)) return end
  rest.lastIndex = end
  rest.test(text)
  return rest.lastIndex
}

/** Of two that match, the first applies. Each is anchored at the start: what was found begins with its prefix. */
const formats: readonly (readonly [id: string, prefix: RegExp])[] = [
  ["aws-access-key-id", /^(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[A-Z0-9]/],
  ["github-token", /^gh[pousr]_/],
  ["github-fine-grained-pat", /^github_pat_/],
  ["gitlab-personal-access-token", /^glpat-/],
  ["openai-api-key", /^sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]*T3BlbkFJ/],
  ["openai-legacy-api-key", /^sk-[A-Za-z0-9]*T3BlbkFJ/],
  ["anthropic-api-key", /^sk-ant-(?:api03|admin01)-[A-Za-z0-9_-]*AA$/],
  ["openrouter-api-key", /^sk-or-v1-[a-f0-9]{64}$/],
  ["google-api-key", /^AIza/],
  ["google-oauth-client-secret", /^GOCSPX-/],
  ["stripe-secret-key", /^[rs]k_(?:live|test)_/],
  ["slack-token", /^xox[bpos]-\d/],
  ["slack-legacy-workspace-token", /^xox[ar]-/],
  ["slack-app-token", /^xapp-/],
  ["slack-webhook-url", /^(?:https:\/\/)?hooks\.slack\.com\/(?:services|workflows|triggers)\//],
  ["npm-access-token", /^npm_/],
  ["sendgrid-api-key", /^SG\./],
  ["huggingface-access-token", /^hf_/],
  ["databricks-api-token", /^dapi[a-f0-9]/],
  ["atlassian-api-token", /^ATATT3/],
  ["doppler-token", /^dp\.(?:pt|st|ct|sa|scim|audit)\./],
  ["linear-api-key", /^lin_api_/],
  ["shopify-access-token", /^shp(?:at|ca|pa|ss)_/],
  ["telegram-bot-token", /^\d{8,10}:AA/],
  ["age-secret-key", /^AGE-SECRET-KEY-1/],
  ["json-web-token", /^eyJ[A-Za-z0-9_-]+\.eyJ/],
  ["private-key-block", /^-----BEGIN [A-Z ]{0,30}PRIVATE KEY/],
  ["pypi-upload-token", /^pypi-AgEIcHlwaS5vcmc/],
  ["digitalocean-token", /^do[oprs]_v1_/]
]

/** What a format's prefix may need: its marker is at most so far from the start. */
const longestPrefix = 512

/**
 * The format of a secret that was found, as its placeholder names it: `[SECRET:github-token]`. Rule: content-filters#secret-formats.
 *
 * Source: the list of formats that the public API documents (docs/decisions/0012-public-api-of-today.md).
 *
 * Undefined for a secret of no named format, or one that is written otherwise, such as with spaces in it.
 */
export const secretFormat = (secret: string): string | undefined => {
  const start = secret.length <= longestPrefix ? secret : secret.slice(0, longestPrefix)
  return formats.find(([, prefix]) => prefix.test(start))?.[0]
}
