import type { AdmittedCandidate } from "@gatewarden/contract"
import type { DialectName } from "./dialects/Dialect.ts"
import type { ReasoningShape } from "./reasoning.ts"

/** Where the models of a provider are reached. */
export interface Upstream {
  /** `https://api.openai.com/v1`. */
  readonly base_url: string
  /** The gateway's own key: its shared capacity. Without one only keys that workspaces bring are used. */
  readonly api_key?: string | undefined
  /** The APIs that it answers; default `chat` and `embeddings`. */
  readonly dialects?: readonly DialectName[]
  /** Names by catalog id, where they differ from what follows the author. */
  readonly models?: Readonly<Record<string, string>>
  /** How it calls the cap of what it may write. One that ignores the cap would spend what nobody has granted. */
  readonly token_limit_field?: "max_completion_tokens" | "max_tokens"
  /** How it is asked to think; default `generic`. */
  readonly reasoning?: ReasoningShape
  /** Milliseconds that it may be silent, before its first byte and later; default 60,000. */
  readonly timeout_ms?: number
}

/** By the provider slugs of the catalog, or by the tags of endpoints that are reached elsewhere, such as `openai/eu`. */
export type Upstreams = Readonly<Record<string, Upstream>>

const spokenByMost: readonly DialectName[] = ["chat", "embeddings"]

export const dialectsOf = ({ dialects = spokenByMost }: Upstream): readonly DialectName[] => dialects

const regionalNames = { europe: "eu", us: "us" } as const

const regionalTags: readonly string[] = Object.values(regionalNames)

/** Whether a tag names an endpoint of the provider, such as `openai/eu` of `openai`. */
const isTagOf = (provider: string, tag: string): boolean => tag === provider || tag.startsWith(`${provider}/`)

/**
 * The name of a candidate's upstream: its tag if that is one, otherwise its provider. A credential of an account in a region goes to the
 * provider's upstream in that region alone, such as `openai/eu`, and so does a request to an endpoint with that tag. What an account wrote
 * names no upstream of another provider, which policies have not judged and which its key is not for.
 */
export const upstreamName = (
  upstreams: object,
  {
    endpoint_tag,
    provider,
    declared_region: region = "global",
    own_model
  }: Pick<AdmittedCandidate, "endpoint_tag" | "provider" | "declared_region" | "own_model">
): string => {
  if (region !== "global") return `${provider}/${regionalNames[region]}`
  if (own_model === true && !isTagOf(provider, endpoint_tag)) return provider
  const isRegional = regionalTags.some((name) => endpoint_tag === `${provider}/${name}`)
  return isRegional || Object.hasOwn(upstreams, endpoint_tag) ? endpoint_tag : provider
}

/** `openai/gpt-4o:free` is `gpt-4o` to its provider, unless it is told otherwise. */
export const upstreamModel = ({ models = {} }: Upstream, id: string): string =>
  (Object.hasOwn(models, id) ? models[id] : undefined) ??
  id
    .slice(id.indexOf("/") + 1)
    .split(":", 1)
    .join("")

/**
 * A private endpoint of an account, by the name of its provider. Its validation has shown that it answers chat completions and knows
 * `max_tokens`. It is asked by another API if the gateway knows that its provider has that, and never with the gateway's own key.
 */
export const privateUpstream = (upstreams: Upstreams, provider: string, base_url: string): Upstream => {
  const known = Object.hasOwn(upstreams, provider) ? upstreams[provider] : undefined
  if (known === undefined) return { base_url, dialects: ["chat"], token_limit_field: "max_tokens" }
  const { api_key: _, models: __, ...settings } = known
  return { ...settings, base_url, dialects: dialectsOf(known), token_limit_field: "max_tokens" }
}
