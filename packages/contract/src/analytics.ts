/**
 * Analytics: sums, rates and percentiles over recorded usage events, grouped and in time.
 *
 * Rule: analytics#metrics, analytics#filters.
 */
import * as z from "zod"
import { manyOf } from "./manyOf.ts"
import { nearestOf } from "./unknownNames.ts"
import { json, operation } from "./operation.ts"
import { dataOf, day, documentedAs, entriesOf, instant, keyHash, text, timestamp, uuid } from "./primitives.ts"

/** Descriptions of fields that several schemas here have. */
const about = {
  value: "Value to compare with: a list for `in` and `not_in`, otherwise one string or number.",
  classifier_id: "Id of the classifier. All classifier filters and dimensions of a query name the same one."
} as const

const metric = <const Name extends string>(
  name: Name,
  display_label: string,
  display_format: "number" | "currency" | "percent" | "latency" | "throughput"
) => ({ name, display_label, is_rate: display_format !== "number" && display_format !== "currency", display_format })

export const analyticsMetrics = [
  metric("request_count", "Requests", "number"),
  metric("tokens_total", "Tokens", "number"),
  metric("tokens_prompt", "Prompt tokens", "number"),
  metric("tokens_completion", "Completion tokens", "number"),
  metric("reasoning_tokens", "Reasoning tokens", "number"),
  metric("cached_tokens", "Cached tokens", "number"),
  metric("cache_write_tokens", "Tokens written to caches", "number"),
  metric("byok_request_count", "BYOK requests", "number"),
  metric("guardrail_invoked_count", "Requests with a guardrail invoked", "number"),
  metric("response_cached_count", "Requests answered from cache", "number"),
  metric("total_usage", "Spend", "currency"),
  metric("byok_usage", "BYOK spend", "currency"),
  metric("credits_usage", "Credits spent", "currency"),
  metric("platform_usage", "Platform spend", "currency"),
  metric("byok_fees", "BYOK fees", "currency"),
  metric("usage_upstream", "Upstream cost", "currency"),
  metric("usage_cache", "Cache cost", "currency"),
  metric("usage_data", "Data cost", "currency"),
  metric("usage_web", "Web search cost", "currency"),
  metric("usage_upstream_web", "Upstream web search cost", "currency"),
  metric("usage_file", "File cost", "currency"),
  metric("usage_upstream_file", "Upstream file cost", "currency"),
  metric("usage_web_fetch", "Web fetch cost", "currency"),
  metric("usage_upstream_web_fetch", "Upstream web fetch cost", "currency"),
  metric("avg_latency", "Mean latency", "latency"),
  metric("p50_latency", "Median latency", "latency"),
  metric("p90_latency", "90th percentile of latency", "latency"),
  metric("p99_latency", "99th percentile of latency", "latency"),
  metric("avg_throughput", "Mean throughput", "throughput"),
  metric("p50_throughput", "Median throughput", "throughput"),
  metric("p90_throughput", "90th percentile of throughput", "throughput"),
  metric("p99_throughput", "99th percentile of throughput", "throughput"),
  metric("cache_hit_rate", "Cache hit rate", "percent"),
  metric("guardrail_invoked_rate", "Share of requests with a guardrail invoked", "percent"),
  metric("response_cached_rate", "Share of requests answered from cache", "percent")
] as const
export type MetricName = (typeof analyticsMetrics)[number]["name"]

/** Alias names of the public API for metrics. The result's column has the requested name. */
export const metricAliases = { openrouter_usage: "platform_usage" } as const satisfies Record<string, MetricName>

export const analyticsDimensions = [
  { name: "model", display_label: "Model" },
  { name: "variant", display_label: "Model variant" },
  { name: "api_key_id", display_label: "API key" },
  { name: "user", display_label: "User" },
  { name: "workspace", display_label: "Workspace" },
  { name: "app", display_label: "App" },
  { name: "generation_id", display_label: "Generation" },
  { name: "provider", display_label: "Provider" },
  { name: "origin", display_label: "Origin" },
  { name: "country", display_label: "Country" },
  { name: "finish_reason", display_label: "Finish reason" },
  { name: "external_user", display_label: "External user" },
  { name: "context_length_bucket", display_label: "Context length" },
  { name: "endpoint", display_label: "Endpoint" },
  { name: "status", display_label: "Status" },
  { name: "session_id", display_label: "Session" },
  { name: "guardrail", display_label: "Refusing guardrail" }
] as const
export type DimensionName = (typeof analyticsDimensions)[number]["name"]

export const analyticsOperators = [
  { name: "eq", value_type: "scalar" },
  { name: "neq", value_type: "scalar" },
  { name: "gt", value_type: "scalar" },
  { name: "gte", value_type: "scalar" },
  { name: "lt", value_type: "scalar" },
  { name: "lte", value_type: "scalar" },
  { name: "in", value_type: "array" },
  { name: "not_in", value_type: "array" }
] as const
export type OperatorName = (typeof analyticsOperators)[number]["name"]

export const analyticsGranularities = [
  { name: "minute", display_label: "Minute" },
  { name: "hour", display_label: "Hour" },
  { name: "day", display_label: "Day" },
  { name: "week", display_label: "Week" },
  { name: "month", display_label: "Month" }
] as const

type NamesOf<T extends readonly { readonly name: string }[]> = { -readonly [I in keyof T]: T[I]["name"] }
const namesOf = <const T extends readonly { readonly name: string }[]>(rows: T) =>
  rows.map(({ name }) => name) as unknown as NamesOf<T>

const metricNames: ReadonlySet<string> = new Set([...namesOf(analyticsMetrics), ...Object.keys(metricAliases)])
const dimensionNames: ReadonlySet<string> = new Set(namesOf(analyticsDimensions))

/** One of a set of names. An unknown name is refused with its own reason. */
const nameIn = (names: ReadonlySet<string>, reason: "unknown_metric" | "unknown_dimension", message: string) =>
  z
    .string()
    .refine((name) => names.has(name), {
      error: ({ input }) => message + nearestOf(String(input), [...names]),
      params: { code: reason, reason }
    })
    .meta({ [documentedAs]: { type: "string", enum: [...names] } })

const limit = z.int().min(1).max(10_000).nullish()

const scalar = z.union([z.string(), z.number()])

const value = z.union([scalar, manyOf(scalar)])

export const AnalyticsFilter = z
  .object({
    field: z.string().describe("Name of a dimension or a metric. A filter on a metric applies after grouping."),
    operator: z.enum(namesOf(analyticsOperators)).describe("How the field is compared with `value`."),
    value: value.describe(about.value),
    include_unset: z
      .boolean()
      .nullish()
      .describe("With `in` or `not_in` on a dimension: events without a value pass, too. Default: `false`.")
  })
  .meta({ id: "AnalyticsFilter", description: "A condition on a dimension or a metric." })
export type AnalyticsFilter = z.output<typeof AnalyticsFilter>

const maxFilters = 20

/** `{ field: value }`: equality. Not a zod record, to which `__proto__` is no ordinary key. */
const equalities = z
  .custom<Readonly<Record<string, string | number>>>(
    (fields) => typeof fields === "object" && fields !== null && !Array.isArray(fields),
    { message: "Expected an object or an array", params: { code: "invalid_type" } }
  )
  .superRefine((fields, context) => {
    const entries = Object.entries(fields)
    if (entries.length > maxFilters)
      context.addIssue({
        code: "custom",
        params: { code: "too_big" },
        message: `Expected at most ${maxFilters} filters`
      })
    if (!entries.every(([, value]) => scalar.safeParse(value).success))
      context.addIssue({
        code: "custom",
        params: { code: "expected_scalar" },
        message: "Expected a string or a number for every field"
      })
  })
  .meta({ [documentedAs]: { type: "object", additionalProperties: { type: ["string", "number"] } } })

export const ClassifierDimensions = z
  .object({
    classifier_id: z.string().describe(about.classifier_id),
    dimension_names: z
      .array(z.string().min(1))
      .max(2)
      .nullish()
      .describe(
        "Dimensions of the classifier; each becomes a column. Without names the columns are `clf_dimension_name` and `clf_dimension_value`."
      ),
    include_nulls: z
      .boolean()
      .nullish()
      .describe("Whether events without the tag are counted, under `null`. Default: `false`.")
  })
  .meta({ id: "ClassifierDimensions", description: "Tags of a classifier to group by." })
export type ClassifierDimensions = z.output<typeof ClassifierDimensions>

export const ClassifierFilters = z
  .object({
    classifier_id: z.string().describe(about.classifier_id),
    filters: z
      .array(
        z.object({
          field: z.string().describe("Name of a dimension of the classifier."),
          operator: z.enum(["eq", "neq", "in", "not_in"]).describe("How the tag is compared with `value`."),
          value: value.describe(about.value)
        })
      )
      .min(1)
      .max(10)
      .describe("Conditions on the tags of the classifier. All must hold.")
  })
  .meta({ id: "ClassifierFilters", description: "Conditions on tags of a classifier." })
export type ClassifierFilters = z.output<typeof ClassifierFilters>

/** The public client sends one object, the published description has a list. The maximum is that of filters. */
const oneOrMany = <T extends z.ZodType>(item: T) => z.union([item, z.array(item).max(maxFilters)]).nullish()

export const AnalyticsQuery = z
  .object({
    metrics: manyOf(nameIn(metricNames, "unknown_metric", "No metric has this name"))
      .min(1)
      .describe("Metrics to compute; each becomes a column. `GET /analytics/meta` lists them."),
    dimensions: z
      .array(nameIn(dimensionNames, "unknown_dimension", "No dimension has this name"))
      .max(2)
      .nullish()
      .describe("Dimensions to group by; each becomes a column. At most two."),
    granularity: z
      .enum(namesOf(analyticsGranularities))
      .nullish()
      .describe("Length of the time buckets. Absent or `null`: one bucket, without a column for the time."),
    time_range: z
      .object({
        start: instant("invalid_time_range").describe("Start of the range, inclusive."),
        end: instant("invalid_time_range").describe("End of the range, exclusive.")
      })
      .nullish()
      .describe("Range of `created_at` that counts. Default: the last seven days."),
    filters: z
      .union([z.array(AnalyticsFilter).max(maxFilters), equalities])
      .nullish()
      .describe("Conditions on the events or the rows. All must hold. An object `{ field: value }` means equality."),
    order_by: z
      .object({
        field: z.string().describe("A requested metric or dimension, `request_count`, or `date`."),
        direction: z.enum(["asc", "desc"]).describe("Ascending or descending order.")
      })
      .nullish()
      .describe("Order of the rows. Default: time descending, then the first metric descending."),
    limit: limit.describe("Maximum number of rows. Default: 1000."),
    group_limit: limit.describe(
      "Maximum number of rows for each combination of dimensions, in the order of the answer."
    ),
    classifier_dimensions: oneOrMany(ClassifierDimensions).describe("Tags of a classifier to group by."),
    classifier_filters: oneOrMany(ClassifierFilters).describe("Conditions on tags of a classifier.")
  })
  .meta({
    id: "AnalyticsQuery",
    description: "A query over recorded usage: what to sum, for which events, grouped how."
  })
export type AnalyticsQuery = z.output<typeof AnalyticsQuery>

/**
 * One member for each column. Counts beyond 2^53 − 1 and amounts beyond 9,007,199 USD are decimal strings; what was not measured is
 * `null`.
 */
export const AnalyticsRow = z.record(z.string(), z.union([z.string(), z.number(), z.null()]))
export type AnalyticsRow = z.output<typeof AnalyticsRow>

export const AnalyticsAnswer = z
  .object({
    data: z.array(AnalyticsRow).describe("Rows of the result, with one field for each column."),
    metadata: z
      .object({
        query_time_ms: z.int().describe("Milliseconds that the query took."),
        row_count: z.int().describe("Number of rows in `data`."),
        truncated: z.boolean().describe("Whether a limit removed at least one row."),
        time_range: z
          .object({
            start: timestamp.describe("Start of the range, inclusive."),
            end: timestamp.describe("End of the range, exclusive.")
          })
          .optional()
          .describe("The range that applied because the query named none: the last seven days.")
      })
      .describe("Facts about the query and its result.")
  })
  .meta({ id: "AnalyticsAnswer", description: "Result of an analytics query." })
export type AnalyticsAnswer = z.output<typeof AnalyticsAnswer>

export const queryAnalytics = operation({
  id: "queryAnalytics",
  method: "POST",
  path: "/analytics/query",
  tag: "Analytics",
  changes: "nothing",
  summary: "Query usage",
  description: `Sums, rates and percentiles over the usage events of the account, in the columns of a row: the time bucket (\`date__<granularity>\`, its start), the dimensions, the classifier's tags, the metrics.

A bucket without events is no row; without granularity and dimensions there is one row always. Weeks start on Monday, UTC. Values of dimensions are ids as recorded, \`null\` where an event has none.

Filters on dimensions choose events, filters on metrics choose rows. A missing value matches no filter, neither \`neq\` nor \`not_in\`, unless \`include_unset\` says so; nor does an event without a tag match a classifier filter, or a metric that was not measured. Texts compare by code point.

Without \`order_by\` the order is: latest bucket first, then the first metric descending, then the dimensions ascending by code point, \`null\` last; the same breaks the ties of any \`order_by\`. \`group_limit\` keeps the first rows of each combination of dimensions (and tags), and has no effect without them. A time series with dimensions and without \`limit\` has up to 10,000 rows. \`truncated\` says that either limit left rows out.

An event with several tags counts under each of them when \`classifier_dimensions\` has no names.`,
  access: "managementKey",
  workspaceOf: "reached",
  body: json(AnalyticsQuery),
  success: { schema: dataOf(AnalyticsAnswer) },
  errors: [400, 401, 403, 408, 500],
  example: {
    body: {
      metrics: ["request_count", "total_usage"],
      dimensions: ["model"],
      granularity: "day",
      time_range: { start: "2026-03-01T00:00:00Z", end: "2026-03-08T00:00:00Z" }
    },
    response: {
      data: {
        data: [{ date__day: "2026-03-01T00:00:00.000Z", model: "acme/sonnet", request_count: 1, total_usage: 0.0087 }],
        metadata: { query_time_ms: 3, row_count: 1, truncated: false }
      }
    }
  }
})

const named = {
  name: z.string().describe("Name that a query uses."),
  display_label: z.string().describe("Label for people.")
}

export const getAnalyticsMeta = operation({
  id: "getAnalyticsMeta",
  method: "GET",
  path: "/analytics/meta",
  tag: "Analytics",
  changes: "nothing",
  summary: "What a query may ask for",
  access: "managementKey",
  workspaceOf: "none",
  success: {
    schema: dataOf(
      z
        .object({
          metrics: z
            .array(
              z.object({
                ...named,
                is_rate: z
                  .boolean()
                  .describe("Whether the metric is a rate, a mean or a percentile, which must not be added up."),
                display_format: z
                  .enum(["number", "currency", "percent", "latency", "throughput"])
                  .describe("How to show the value: a plain number, USD, a share, milliseconds, or tokens a second.")
              })
            )
            .describe("Metrics that a query can compute."),
          dimensions: z.array(z.object(named)).describe("Dimensions that a query can group and filter by."),
          operators: z
            .array(
              z.object({
                name: z.string().describe("Name that a filter uses."),
                value_type: z.enum(["scalar", "array"]).describe("Whether the filter takes one value or a list.")
              })
            )
            .describe("Operators that a filter can use."),
          granularities: z.array(z.object(named)).describe("Lengths of time buckets that a query can use.")
        })
        .describe("Names that queries can use.")
    )
  },
  errors: [401, 403, 500],
  example: {
    response: {
      data: {
        metrics: analyticsMetrics.slice(0, 1),
        dimensions: analyticsDimensions.slice(0, 1),
        operators: analyticsOperators.slice(0, 1),
        granularities: analyticsGranularities.slice(0, 1)
      }
    }
  }
})

export const ActivityRow = z
  .object({
    date: day.describe("Day of the requests, in UTC."),
    model: z.string().describe("Canonical slug of the model, without its variant."),
    model_permaslug: z.string().describe("Canonical slug of the model, with its variant."),
    endpoint_id: z.string().describe('Endpoint tag of the events. `""`: the events name none.'),
    provider_name: z.string().describe("Provider that served the requests."),
    usage: z.number().describe("USD that the requests cost, without spending on the account's own credentials."),
    byok_usage_inference: z
      .number()
      .describe("USD that providers charged for requests with the account's own credentials."),
    requests: z.number().describe("Number of requests of any status."),
    prompt_tokens: z.number().describe("Number of prompt tokens."),
    completion_tokens: z.number().describe("Number of completion tokens, including reasoning."),
    reasoning_tokens: z.number().describe("Number of reasoning tokens, which are part of the completion tokens."),
    workspace_id: z
      .string()
      .optional()
      .describe("Id of the workspace of the requests. Present with `group_by=workspace`.")
  })
  .meta({
    id: "ActivityRow",
    description:
      "Sums of one day, model, endpoint and provider. Sums are JSON numbers; beyond 2^53 − 1 and 9,007,199 USD they are rounded."
  })
export type ActivityRow = z.output<typeof ActivityRow>

/** The most rows of one answer. */
export const maxActivityRows = 10_000

export const getUserActivity = operation({
  id: "getUserActivity",
  method: "GET",
  path: "/activity",
  tag: "Analytics",
  changes: "nothing",
  summary: "Usage by day, model and endpoint",
  description:
    "Sums over the usage events of the last 30 completed days, UTC, or of one of them. The latest day comes first, then the highest `usage`. An answer has at most 10,000 rows; one that would have more is 400: name a `date`, a key or a workspace. Key, user and workspace that have no usage, known or not, have no rows.",
  access: "managementKey",
  workspaceOf: "reached",
  query: z.object({
    date: day.optional().describe("One of the last 30 completed days, in UTC. Default: all of them."),
    api_key_hash: keyHash.optional().describe("Hash of an API key. Only its requests count."),
    user_id: text(0, 256).optional().describe("Id of a user. Only the user's requests count."),
    group_by: z.enum(["workspace"]).optional().describe("`workspace`: a row of its own for each workspace."),
    workspace_id: uuid.optional().describe("Id of a workspace. Only its requests count.")
  }),
  success: { schema: z.object({ data: entriesOf(ActivityRow) }) },
  errors: [400, 401, 403, 408, 500],
  example: {
    query: { group_by: "workspace" },
    response: {
      data: [
        {
          date: "2026-03-01",
          model: "acme/sonnet",
          model_permaslug: "acme/sonnet:free",
          endpoint_id: "acme/fp8",
          provider_name: "acme",
          usage: 0.0087,
          byok_usage_inference: 0,
          requests: 1,
          prompt_tokens: 1200,
          completion_tokens: 340,
          reasoning_tokens: 0,
          workspace_id: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11"
        }
      ]
    }
  }
})
