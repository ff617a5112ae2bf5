/**
 * The format of a secret that was found, as its placeholder names it: `[SECRET:github-token]`. Rule: content-filters#secret-formats.
 *
 * Source: the list of formats that the public API documents (docs/decisions/0012-public-api-of-today.md).
 */

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

/** Undefined for a secret of no named format, or one that is written otherwise, such as with spaces in it. */
export const secretFormat = (secret: string): string | undefined => {
  const start = secret.length <= longestPrefix ? secret : secret.slice(0, longestPrefix)
  return formats.find(([, prefix]) => prefix.test(start))?.[0]
}
