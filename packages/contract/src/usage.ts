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

/** The components of a cost with their descriptions. Each is also the name of the metric that sums it. */
const descriptionsOfComponents = {
  byok_fees: "Fee in USD for a request with the account's own credential.",
  usage_upstream: "USD that the provider charged for the request.",
  usage_cache: "USD for reads from and writes to caches.",
  usage_data: "The cost component `usage_data` in USD.",
  usage_web: "USD for web searches.",
  usage_upstream_web: "USD that the provider charged for web searches.",
  usage_file: "USD for the processing of files.",
  usage_upstream_file: "USD that the provider charged for the processing of files.",
  usage_web_fetch: "USD for the fetching of web pages.",
  usage_upstream_web_fetch: "USD that the provider charged for the fetching of web pages."
} as const
export type CostComponent = keyof typeof descriptionsOfComponents

/** The components of a cost. */
export const costComponents = Object.keys(descriptionsOfComponents) as readonly CostComponent[]

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
const recordedLength = 256
const recorded = text(0, recordedLength).nullish()

/** At most `max` characters of a text. PostgreSQL stores no U+0000. */
const cut = (max: number) =>
  z.string().overwrite((value) => {
    const stored = value.replaceAll("\0", "\ufffd")
    return stored.length <= max
      ? stored
      : Array.from(stored.slice(0, 2 * max))
          .slice(0, max)
          .join("")
  })

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Any JSON object. Not a zod record, to which `__proto__` is no ordinary key. */
const anyObject = z
  .custom<Readonly<Record<string, unknown>>>(isObject, {
    message: "Expected an object",
    params: { code: "invalid_type" }
  })
  .meta({ [documentedAs]: { type: "object" } })

const maxTraceLength = 65_536

/** Whether a value is an object of at most `maxTraceLength` characters of JSON, escapes aside. It stops there: a client chooses the length. */
const isShortObject = (value: unknown): boolean => {
  if (!isObject(value)) return false
  let left = maxTraceLength
  const pending: unknown[] = [value]
  while (pending.length > 0 && left >= 0) {
    const next = pending.pop()
    if (typeof next === "string") left -= next.length + 2
    else if (typeof next !== "object" || next === null) left -= String(next).length
    else {
      const members = Object.entries(next)
      // The brackets, and a comma fewer than members.
      left -= members.length === 0 ? 2 : 1
      for (const [key, inner] of members) {
        left -= Array.isArray(next) ? 1 : key.length + 4
        if (left < 0) break
        pending.push(inner)
      }
    }
  }
  return left >= 0
}

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
  created_at: instant().describe(
    "Time when the request began, not when it ended. It ended `latency_ms` and `generation_ms` later. At most five minutes ahead of the server's clock."
  ),
  model: text(1, 256).describe("Model by slug or canonical slug, with or without a variant."),
  provider: text(1, 256).describe("Slug of the provider that served the request."),
  api_key_hash: recorded.describe("Hash of the API key that made the request. An unknown hash is stored as it is."),
  workspace_id: uuid
    .nullish()
    .describe(
      "Id of the workspace. Default: the workspace of the key, otherwise the default workspace of the account."
    ),
  user_id: recorded.describe("Id of the user. Default: the user of the key."),
  external_user: text(0, externalUserLength)
    .nullish()
    .describe("Your name for the end user. Default: the end user of the key."),
  app: recorded.describe("Name of the app that sent the request."),
  origin: recorded.describe("Origin or URL of the app. Public datasets name an app that has one."),
  app_categories: z.array(text(1, 64)).max(100).nullish().describe("Purposes that the app names of itself."),
  country: recorded.describe("Country of the client."),
  endpoint_tag: recorded.describe("Tag of the endpoint in the catalog."),
  prompt_tokens: count.describe("All tokens of the prompt, cached ones included."),
  completion_tokens: count.describe("All tokens of the completion, reasoning included."),
  reasoning_tokens: count.nullish().describe("Completion tokens that are reasoning."),
  cached_tokens: count.nullish().describe("Prompt tokens that were read from a cache."),
  cache_write_tokens: count.nullish().describe("Prompt tokens that were written to a cache."),
  tool_calls: count.nullish().describe("Number of tool calls in the completion."),
  cost_usd: usdAmount.describe("USD that the request cost, as a decimal string or a number."),
  byok: z.boolean().nullish().describe("Whether the request used the account's own credential. Default: `false`."),
  byok_cost_usd: usdAmount
    .nullish()
    .describe("USD that the provider charged the account's own credential, as a decimal string or a number."),
  cost_components: z
    .object(
      Object.fromEntries(
        Object.entries(descriptionsOfComponents).map(([name, description]) => [
          name,
          usdAmount.nullish().describe(description)
        ])
      ) as Record<CostComponent, z.ZodOptional<z.ZodNullable<typeof usdAmount>>>
    )
    .nullish()
    .describe("Parts of the cost in USD, each as a decimal string or a number."),
  status: UsageStatus.nullish().describe(
    "Result of the request. `ok` and `error` are results of the model and count for uptime. Default: `ok`."
  ),
  finish_reason: recorded.describe("Reason why the completion ended."),
  latency_ms: duration
    .nullish()
    .describe("Milliseconds from `created_at` to the first token, recorded with three decimals."),
  generation_ms: duration
    .nullish()
    .describe(
      "Milliseconds from the first token to the last, or from `created_at` if there is no `latency_ms`. Recorded with three decimals."
    ),
  session_id: recorded.describe("Id of the session that the request belongs to."),
  trace: anyObject.nullish().describe("Names and ids of the trace that the request belongs to, for destinations."),
  data_region: Region.nullish().describe("Region in which the request was processed."),
  input_modalities: modalities.describe("Kinds of input of the request. Default: the model's in the catalog."),
  output_modalities: modalities.describe("Kinds of output of the request. Default: the model's in the catalog."),
  category: UsageCategory.nullish().describe("Use case of the request, if it was sampled and classified."),
  language_type: LanguageType.nullish().describe("Type of language of the request, if it was sampled and classified."),
  sample_weight: z.number().positive().nullish().describe("Number of requests that a sampled one represents."),
  classifiers: classifiers
    .nullish()
    .describe("Tags by classifier, then by dimension. Numbers and booleans are stored as their JSON text."),
  guardrail_invoked: z.boolean().nullish().describe("Whether a guardrail acted on the request. Default: `false`."),
  guardrail_id: uuid
    .nullish()
    .describe("Id of the guardrail that refused the request: the first that the reasons of its denial name."),
  response_cached: z.boolean().nullish().describe("Whether the answer came from a cache. Default: `false`."),
  input: z
    .unknown()
    .optional()
    .describe(
      "Body of the request, for destinations and for workspaces that store inputs. It is never stored unencrypted."
    ),
  output: z
    .unknown()
    .optional()
    .describe(
      "Body of the answer, for destinations and for workspaces that store outputs. It is never stored unencrypted."
    )
}

/** Any other value counts as not reported: a settlement that is refused charges nothing. Rule: admissions#settlement. */
const reported = <S extends z.ZodType>(schema: S, isReport: (value: unknown) => boolean) =>
  // The type of the input is that of a report, although any value is taken.
  z.preprocess((value) => (isReport(value) ? value : null), schema.nullable()).optional() as unknown as z.ZodOptional<
    z.ZodNullable<S>
  >

const reportedCount = reported(count, (value) => Number.isSafeInteger(value) && (value as number) >= 0)

/** Counts by name, each with its description. */
const counts = <const N extends string>(descriptions: Readonly<Record<N, string>>) =>
  reported(
    z.object(
      Object.fromEntries(
        Object.entries<string>(descriptions).map(([name, description]) => [name, reportedCount.describe(description)])
      ) as Record<N, typeof reportedCount>
    ),
    isObject
  )

/**
 * The usage that an upstream reports: the fields of the `usage` object of a chat completion, and further ones. Details are parts of the
 * totals. Absent, `null` and what is no count mean "not reported", and are charged at what was held; 0 is a report.
 */
export const usageQuantities = {
  prompt_tokens: reportedCount.describe(
    "All tokens of the prompt, of any kind. `null` or absent: not reported, charged at the held number."
  ),
  completion_tokens: reportedCount.describe(
    "All tokens of the completion, reasoning included. `null` or absent: not reported."
  ),
  total_tokens: reportedCount.describe(
    "Tokens of prompt and completion together. If they are more than both, the rest counts as completion."
  ),
  prompt_tokens_details: counts({
    cached_tokens: "Prompt tokens that were read from a cache.",
    cache_write_tokens: "Prompt tokens that were written to a cache.",
    cache_write_1h_tokens: "Part of `cache_write_tokens` that is cached for an hour.",
    audio_tokens: "Prompt tokens that are audio.",
    cached_audio_tokens: "Part of `cached_tokens` that is audio.",
    image_tokens: "Prompt tokens that are images."
  }).describe("Parts of the prompt tokens."),
  completion_tokens_details: counts({
    reasoning_tokens: "Completion tokens that are reasoning.",
    audio_tokens: "Completion tokens that are audio.",
    image_tokens: "Completion tokens that are images."
  }).describe("Parts of the completion tokens."),
  server_tool_use: reported(z.record(z.string(), reportedCount), isObject).describe(
    "Uses of server tools by type: `web_search_requests`, `openrouter:web_fetch` and others."
  ),
  cached_tokens: reportedCount.describe(
    "Prompt tokens that were read from a cache. `prompt_tokens_details` takes precedence."
  ),
  cache_write_tokens: reportedCount.describe(
    "Prompt tokens that were written to a cache. `prompt_tokens_details` takes precedence."
  ),
  reasoning_tokens: reportedCount.describe(
    "Completion tokens that are reasoning. `completion_tokens_details` takes precedence."
  ),
  images: reportedCount.describe("Number of images that were sent."),
  requests: reportedCount.describe("Number of requests that the provider charges for."),
  completion_bytes: reportedCount.describe(
    "UTF-8 bytes of the completion that arrived, if its tokens are not counted. Each is charged as one token."
  )
}

/** Refuses no object: what is no count was not reported. */
export const UsageQuantities = z.object(usageQuantities)
/** Counts of an upstream's usage; those that are absent were not reported. */
export type UsageQuantities = z.output<typeof UsageQuantities>

export const UsageReport = z.object(fields).meta({ id: "UsageReport", description: "A usage event without its id." })
export type UsageReport = z.output<typeof UsageReport>

/**
 * Fields of an event that a client may choose, and a data plane passes on: a settlement cuts them or leaves them out, because one that is
 * refused charges nothing. Rule: admissions#settlement.
 */
const chosenByClients = {
  external_user: cut(externalUserLength)
    .nullish()
    .describe("Your name for the end user. Default: the end user of the key. Cut after 512 characters."),
  app: cut(recordedLength).nullish().describe("Name of the app that sent the request. Cut after 256 characters."),
  origin: cut(recordedLength)
    .nullish()
    .describe("Origin or URL of the app. Public datasets name an app that has one. Cut after 256 characters."),
  app_categories: z
    .array(cut(64))
    .overwrite((all) => all.filter((category) => category !== "").slice(0, 100))
    .nullish()
    .describe("Purposes that the app names of itself: the first 100, each cut after 64 characters."),
  country: cut(recordedLength).nullish().describe("Country of the client. Cut after 256 characters."),
  finish_reason: cut(recordedLength).nullish().describe("Reason why the completion ended. Cut after 256 characters."),
  session_id: cut(recordedLength)
    .nullish()
    .describe("Id of the session that the request belongs to. Cut after 256 characters."),
  trace: reported(anyObject, isShortObject).describe(
    "Names and ids of the trace that the request belongs to, for destinations. Left out if it is no object, or longer than 65,536 characters as JSON."
  )
}

export const SettlementReport = z
  .object({
    ...fields,
    ...usageQuantities,
    ...chosenByClients,
    cost_usd: usdAmount
      .nullish()
      .describe("USD that the request cost. Default: computed from the reported usage at the prices of the catalog.")
  })
  .meta({
    id: "SettlementReport",
    description:
      "The settlement of an admitted request. Without `cost_usd` the cost is that of the reported usage at the catalog's prices; what was not reported is charged at what was held for it."
  })
export type SettlementReport = z.output<typeof SettlementReport>

export const SentUsageEvent = z
  .object({
    id: text(1, 128).describe("Id of the event, unique in the account. A repetition is a duplicate."),
    adjusts: text(1, 128)
      .nullish()
      .describe(
        "Id of another recorded event of the account, whose tokens and cost are those of this event from now on. Everything else stays as recorded."
      ),
    account_id: uuid
      .nullish()
      .describe(
        "Id of the account, with a gateway key, if `api_key_hash` names no key. Otherwise the caller's own account or absent."
      ),
    ...fields
  })
  .meta({ id: "UsageEvent", description: "A finished model request." })
export type SentUsageEvent = z.output<typeof SentUsageEvent>

/** How many events one JSON body may hold. */
export const maxUsageEvents = 10_000

export const RecordUsageEvents = z
  .object({ events: manyOf(SentUsageEvent).max(maxUsageEvents).describe("Events to record, at most 10,000.") })
  .meta({ id: "RecordUsageEvents", description: "Usage events to record, all or none." })
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
  success: {
    schema: dataOf(
      z
        .object({
          accepted: z.int().describe("Number of events that were recorded."),
          duplicates: z.int().describe("Number of events whose id was recorded before.")
        })
        .describe("Counts of the events of the request.")
    )
  },
  errors: [400, 401, 403, 500],
  example: {
    body: {
      events: [
        {
          id: "gen-1772366400-9pXcVbQ2tRm7LsWy0KzD",
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
