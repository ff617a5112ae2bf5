/**
 * Usage events: the data plane's report of each finished model request.
 *
 * Analytics, rankings, endpoint statistics and spending are all sums over them. Rule: usage#events.
 */
import * as z from "zod"
import { externalUserLength } from "./externalUser.ts"
import { manyOf } from "./manyOf.ts"
import { maxJsonValues, operation } from "./operation.ts"
import { codePoints, dataOf, documentedAs, instant, Region, text, usd, uuid } from "./primitives.ts"

/** `ok` and `error` are results of the model and count for uptime; the others do not. */
export const UsageStatus = z.enum(["ok", "error", "rate_limited", "cancelled", "blocked"])
export type UsageStatus = z.output<typeof UsageStatus>

/** The components of a cost. Each is also the name of the metric that sums it. */
export const costComponents = [
  "byok_fees",
  "usage_upstream",
  "usage_cache",
  "usage_data",
  "usage_web",
  "usage_upstream_web",
  "usage_file",
  "usage_upstream_file",
  "usage_web_fetch",
  "usage_upstream_web_fetch"
] as const
export type CostComponent = (typeof costComponents)[number]

/** The classification of a sampled request. */
export const UsageCategory = z.enum([
  "programming",
  "roleplay",
  "marketing",
  "marketing/seo",
  "technology",
  "science",
  "translation",
  "legal",
  "finance",
  "health",
  "trivia",
  "academia"
])
export type UsageCategory = z.output<typeof UsageCategory>

export const LanguageType = z.enum(["natural", "programming"])
export type LanguageType = z.output<typeof LanguageType>

const anAmount = "Expected an amount such as 0.000125"

/** An amount in USD, 0 to 1e9 with at most 9 decimals: a plain decimal string, or a number. */
export const usdAmount = z.union(
  [z.string().regex(/^(?:(?:0|[1-9]\d{0,8})(?:\.\d{1,9})?|1000000000(?:\.0{1,9})?)$/, anAmount), usd],
  anAmount
)

const count = z.int().min(0)

/** A duration in milliseconds. Three decimals are recorded. */
const duration = z.number().min(0).max(Number.MAX_SAFE_INTEGER)

/** An id or a name that is recorded as it is sent. */
const recorded = text(0, 256).nullish()

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Any JSON object. Not a zod record, to which `__proto__` is no ordinary key. */
const anyObject = z
  .custom<Readonly<Record<string, unknown>>>(isObject, {
    message: "Expected an object",
    params: { code: "invalid_type" }
  })
  .meta({ [documentedAs]: { type: "object" } })

const maxTagLength = 256

const isShort = (text: string): boolean => text.length <= maxTagLength || codePoints(text) <= maxTagLength

/** Tags by classifier, then by dimension. */
export type Classifiers = Readonly<Record<string, Readonly<Record<string, string | number | boolean>>>>

const classifiers = z
  .custom<Classifiers>()
  .superRefine((value, context) => {
    const refuse = (path: string[], code: string, message: string) =>
      context.addIssue({ code: "custom", path, params: { code }, message })
    if (!isObject(value)) return refuse([], "invalid_type", "Expected tags by classifier")
    for (const [classifier, tags] of Object.entries(value)) {
      if (classifier === "" || !isShort(classifier))
        return refuse([], "invalid_key", "Expected classifier ids of 1 to 256 characters")
      if (!isObject(tags)) return refuse([classifier], "invalid_type", "Expected values by dimension")
      for (const [dimension, tag] of Object.entries(tags)) {
        if (dimension === "" || !isShort(dimension))
          return refuse([classifier], "invalid_key", "Expected dimension names of 1 to 256 characters")
        if (typeof tag === "string" ? !isShort(tag) : !isPlainTag(tag))
          return refuse([classifier, dimension], "invalid_tag", "Expected a text of at most 256 characters")
      }
    }
  })
  .meta({
    [documentedAs]: {
      type: "object",
      additionalProperties: {
        type: "object",
        additionalProperties: { type: ["string", "number", "boolean"] }
      }
    }
  })

const isPlainTag = (tag: unknown) => typeof tag === "boolean" || (typeof tag === "number" && Number.isFinite(tag))

const modalities = z.array(text(1, 64)).max(100).nullish()

const fields = {
  /** When the request began, at most five minutes ahead of the server's clock. */
  created_at: instant().describe(
    "When the request began, not when it ended. It ended `latency_ms` and `generation_ms` later. At most five minutes ahead of the server's clock."
  ),
  /** A slug or canonical slug, with or without a variant. */
  model: text(1, 256),
  provider: text(1, 256),
  /** SHA-256 of the key that was used. An unknown hash is stored as it is. */
  api_key_hash: recorded,
  /** Default: the key's, else the account's default workspace. */
  workspace_id: uuid.nullish(),
  /** Default: the key's. */
  user_id: recorded,
  external_user: text(0, externalUserLength).nullish(),
  app: recorded,
  /** The origin of the app, or its URL: public datasets name an app that has one. */
  origin: recorded,
  /** What the app is for, as it says of itself. */
  app_categories: z.array(text(1, 64)).max(100).nullish(),
  country: recorded,
  endpoint_tag: recorded,
  prompt_tokens: count,
  completion_tokens: count,
  reasoning_tokens: count.nullish(),
  /** Of the prompt: tokens that were read from a cache, and tokens that were written to one. */
  cached_tokens: count.nullish(),
  cache_write_tokens: count.nullish(),
  tool_calls: count.nullish(),
  cost_usd: usdAmount,
  byok: z.boolean().nullish(),
  byok_cost_usd: usdAmount.nullish(),
  cost_components: z
    .object(
      Object.fromEntries(costComponents.map((name) => [name, usdAmount.nullish()])) as Record<
        CostComponent,
        z.ZodOptional<z.ZodNullable<typeof usdAmount>>
      >
    )
    .nullish(),
  status: UsageStatus.nullish(),
  finish_reason: recorded,
  /** From `created_at` to the first token. */
  latency_ms: duration
    .nullish()
    .describe("Milliseconds from `created_at` to the first token, recorded with three decimals."),
  /** From the first token to the last; without `latency_ms`, from `created_at`. */
  generation_ms: duration
    .nullish()
    .describe(
      "Milliseconds from the first token to the last, or from `created_at` if there is no `latency_ms`. Recorded with three decimals."
    ),
  session_id: recorded,
  trace: anyObject.nullish(),
  data_region: Region.nullish(),
  /** Default for both: the modalities of the model in the catalog. */
  input_modalities: modalities,
  output_modalities: modalities,
  category: UsageCategory.nullish(),
  language_type: LanguageType.nullish(),
  /** The number of events that a sampled one represents. */
  sample_weight: z.number().positive().nullish(),
  /** Texts; numbers and booleans are kept as their JSON text. */
  classifiers: classifiers.nullish(),
  guardrail_invoked: z.boolean().nullish(),
  response_cached: z.boolean().nullish(),
  /** Request and response bodies, for destinations, and for a workspace that keeps them. They are never stored in clear. */
  input: z.unknown().optional(),
  output: z.unknown().optional()
}

const counts = <const N extends string>(...names: readonly N[]) =>
  z
    .object(
      Object.fromEntries(names.map((name) => [name, count.nullish()])) as Record<
        N,
        z.ZodOptional<z.ZodNullable<typeof count>>
      >
    )
    .nullish()

/**
 * The usage that an upstream reports: the fields of the `usage` object of a chat completion, and further ones. Details are parts of the
 * totals. Absent and `null` mean "not reported", and are charged at what was held; 0 is a report.
 */
export const usageQuantities = {
  /** All input tokens of any kind; all output tokens, including reasoning. */
  prompt_tokens: count.nullish(),
  completion_tokens: count.nullish(),
  /** Of `cache_write_tokens`, those that are kept for an hour; of `cached_tokens`, those of audio. */
  prompt_tokens_details: counts(
    "cached_tokens",
    "cache_write_tokens",
    "cache_write_1h_tokens",
    "audio_tokens",
    "cached_audio_tokens",
    "image_tokens"
  ),
  completion_tokens_details: counts("reasoning_tokens", "audio_tokens", "image_tokens"),
  /** Uses of server tools: `web_search_requests`, and of others by type (`openrouter:web_fetch`). */
  server_tool_use: z.record(text(1, 128), count.nullish()).nullish(),
  /** Of the prompt; `prompt_tokens_details` takes precedence. */
  cached_tokens: count.nullish(),
  cache_write_tokens: count.nullish(),
  /** Of the completion; `completion_tokens_details` takes precedence. */
  reasoning_tokens: count.nullish(),
  /** Images that were sent. */
  images: count.nullish(),
  /** Requests that the provider charges for. */
  requests: count.nullish(),
  /** UTF-8 bytes of the completion that arrived, if nobody counted its tokens; each is charged as one token. */
  completion_bytes: count.nullish()
}

const UsageQuantities = z.object(usageQuantities)
/** Counts of an upstream's usage; those that are absent were not reported. */
export type UsageQuantities = z.output<typeof UsageQuantities>

/** A usage event without `id`, for a request whose id is known. */
export const UsageReport = z.object(fields).meta({ id: "UsageReport" })
export type UsageReport = z.output<typeof UsageReport>

/**
 * The settlement of an admitted request. Without `cost_usd` the cost is that of the reported usage at the catalog's prices; what
 * was not reported is charged at what was held for it.
 */
export const SettlementReport = z
  .object({ ...fields, ...usageQuantities, cost_usd: usdAmount.nullish() })
  .meta({ id: "SettlementReport" })
export type SettlementReport = z.output<typeof SettlementReport>

export const SentUsageEvent = z
  .object({
    id: text(1, 128),
    /** With a gateway key: the account of an event whose `api_key_hash` names no key. Otherwise the key's own account, if anything. */
    account_id: uuid.nullish(),
    ...fields
  })
  .meta({ id: "UsageEvent" })
export type SentUsageEvent = z.output<typeof SentUsageEvent>

/** How many events one JSON body may hold. */
export const maxUsageEvents = 10_000

export const RecordUsageEvents = z
  .object({ events: manyOf(SentUsageEvent).max(maxUsageEvents) })
  .meta({ id: "RecordUsageEvents" })
export type RecordUsageEvents = z.output<typeof RecordUsageEvents>

export const recordUsageEvents = operation({
  id: "recordUsageEvents",
  method: "POST",
  path: "/gateway/usage-events",
  tag: "Gateway",
  changes: "usage",
  summary: "Record usage events",
  description:
    "At most 10,000 events as JSON, or any number as `application/x-ndjson`, one event a line. All or nothing. An id that is recorded already, or comes a second time in the request, is a duplicate whatever it says: the first wins, so a request may be repeated. What is counted is visible to the next query. With a gateway key events of several accounts come together: each is of the account of the key that `api_key_hash` names, or else of `account_id`. What another account's management key reports counts for that account alone, and neither in rankings nor in the statistics of endpoints.",
  access: "managementKey",
  gatewayKey: true,
  body: {
    kind: "jsonOrLines",
    schema: RecordUsageEvents,
    maxBytes: 33_554_432,
    maxValues: maxJsonValues,
    line: SentUsageEvent,
    repairs: true,
    maxLineBytes: 1_048_576
  },
  success: { schema: dataOf(z.object({ accepted: z.int(), duplicates: z.int() })) },
  errors: [400, 401, 403, 500],
  example: {
    body: {
      events: [
        {
          id: "gen-01",
          created_at: "2026-03-01T12:00:00.250Z",
          model: "acme/sonnet:free",
          provider: "acme",
          prompt_tokens: 1200,
          completion_tokens: 340,
          cost_usd: "0.0087",
          latency_ms: 412,
          generation_ms: 3900
        }
      ]
    },
    response: { data: { accepted: 1, duplicates: 0 } }
  }
})
