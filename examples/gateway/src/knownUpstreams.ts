/** Providers that answer OpenAI's or Anthropic's APIs at a public address: what `catalog.json` names, and how each is spoken to. */
import { dialectNames } from "./dialects/Dialect.ts"
import type { Upstream, Upstreams } from "./Upstream.ts"

/** `variable`: where the key of the gateway's own account with it is read from. */
export interface KnownUpstream extends Upstream {
  readonly variable: string
}

export const knownUpstreams: Readonly<Record<string, KnownUpstream>> = {
  openai: {
    variable: "OPENAI_API_KEY",
    base_url: "https://api.openai.com/v1",
    dialects: ["chat", "responses", "embeddings"],
    reasoning: "openai"
  },
  // Requests are processed in Europe, and only with keys of projects that were created there.
  "openai/eu": {
    variable: "OPENAI_EU_API_KEY",
    base_url: "https://eu.api.openai.com/v1",
    dialects: ["chat", "responses", "embeddings"],
    reasoning: "openai"
  },
  anthropic: {
    variable: "ANTHROPIC_API_KEY",
    base_url: "https://api.anthropic.com/v1",
    dialects: ["chat", "messages"],
    token_limit_field: "max_tokens",
    reasoning: "anthropic",
    models: {
      "anthropic/claude-opus-4.5": "claude-opus-4-5",
      "anthropic/claude-sonnet-4.5": "claude-sonnet-4-5",
      "anthropic/claude-haiku-4.5": "claude-haiku-4-5"
    }
  },
  "google-ai-studio": {
    variable: "GEMINI_API_KEY",
    base_url: "https://generativelanguage.googleapis.com/v1beta/openai",
    token_limit_field: "max_tokens"
  },
  mistral: {
    variable: "MISTRAL_API_KEY",
    base_url: "https://api.mistral.ai/v1",
    token_limit_field: "max_tokens",
    reasoning: "none",
    models: {
      "mistralai/mistral-large": "mistral-large-latest",
      "mistralai/mistral-medium-3.1": "mistral-medium-latest",
      "mistralai/mistral-small-3.2-24b-instruct": "mistral-small-latest"
    }
  },
  groq: {
    variable: "GROQ_API_KEY",
    base_url: "https://api.groq.com/openai/v1",
    dialects: ["chat", "responses"],
    models: {
      "meta-llama/llama-3.3-70b-instruct": "llama-3.3-70b-versatile",
      "meta-llama/llama-3.1-8b-instruct": "llama-3.1-8b-instant"
    }
  },
  together: {
    variable: "TOGETHER_API_KEY",
    base_url: "https://api.together.xyz/v1",
    token_limit_field: "max_tokens",
    models: {
      "meta-llama/llama-3.3-70b-instruct": "meta-llama/Llama-3.3-70B-Instruct-Turbo",
      "meta-llama/llama-3.1-8b-instruct": "meta-llama/Meta-Llama-3.1-8B-Instruct-Turbo",
      "meta-llama/llama-4-maverick": "meta-llama/Llama-4-Maverick-17B-128E-Instruct-FP8",
      "deepseek/deepseek-r1": "deepseek-ai/DeepSeek-R1"
    }
  },
  deepseek: {
    variable: "DEEPSEEK_API_KEY",
    base_url: "https://api.deepseek.com/v1",
    dialects: ["chat"],
    token_limit_field: "max_tokens",
    // It thinks or does not, by the name of the model.
    reasoning: "none",
    models: { "deepseek/deepseek-chat": "deepseek-chat", "deepseek/deepseek-r1": "deepseek-reasoner" }
  }
}

type Environment = Readonly<Record<string, string | undefined>>

const areDialects = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.every((name) => dialectNames.includes(name))

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** `undefined` for what is no JSON: the parser's own words would repeat the keys in it. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * The known upstreams with the keys of an environment, and what `GATEWAY_UPSTREAMS` says of these and of others: a JSON object by
 * provider slug or endpoint tag, `{"openai":{"api_key":"sk-…"},"nebius":{"base_url":"https://…/v1"}}`. Throws for what is none.
 */
export const upstreamsOf = (environment: Environment): Upstreams => {
  const said = parsed(environment["GATEWAY_UPSTREAMS"] || "{}")
  if (!isObject(said) || !Object.values(said).every(isObject))
    throw new TypeError("GATEWAY_UPSTREAMS: expected a JSON object of objects by provider slug or endpoint tag")
  const own = said as Readonly<Record<string, Partial<Upstream>>>
  const upstreams = new Map<string, Upstream>()
  for (const [slug, { variable, ...known }] of Object.entries(knownUpstreams))
    upstreams.set(slug, { ...known, api_key: environment[variable] || undefined, ...own[slug] })
  for (const [slug, { base_url, ...rest }] of Object.entries(own)) {
    if (rest.dialects !== undefined && !areDialects(rest.dialects))
      throw new TypeError(`GATEWAY_UPSTREAMS: dialects of ${slug}: expected a list of ${dialectNames.join(", ")}`)
    const known = upstreams.get(slug)
    if (known === undefined && (typeof base_url !== "string" || !URL.canParse(base_url)))
      throw new TypeError(`GATEWAY_UPSTREAMS: ${slug} needs a base_url`)
    upstreams.set(slug, { ...known, ...rest, base_url: base_url ?? known?.base_url ?? "" })
  }
  return Object.fromEntries(upstreams)
}
