/** Holds a store to the meaning of analytics: random events and queries, against an oracle that shares no code with it. */
import {
  AnalyticsQuery,
  analyticsDimensions,
  analyticsMetrics,
  costComponents,
  metricAliases,
  SentUsageEvent
} from "@gatewarden/contract/internal"
import {
  type Caller,
  layerInstance,
  queryAnalytics,
  Retention,
  recordUsageEvents,
  type StorePorts
} from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Stream } from "effect"
import * as fc from "fast-check"
import { expectedAnswer } from "./analyticsOracle.ts"
import { byHand } from "../HandClock.ts"
import { storeUnderTest } from "../stores/storeUnderTest.ts"
import { testKeyring } from "../vault/testKeyring.ts"

const now = Date.parse("2026-03-04T12:00:00.000Z")
const workspace = "6f1b1c9e-5a0e-4d43-8d4c-0d3d8f6f2a10"

/** Every property of text that orders and comparisons may get wrong: case, length, beyond UTF-16's surrogates, quotes. */
const texts = ["", "a", "B", "ab", "é", "\uffee", "\u{1f600}", 'q"\\{,}', "NULL"]
const text = fc.constantFrom(...texts)
const optional = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined, freq: 2 })

/** Instants on both sides of the borders of minutes, days, weeks, months, years and of the default range. */
const instants = [
  "2024-12-30T00:00:00.000Z",
  "2025-12-31T23:59:59.999Z",
  "2026-01-01T00:00:00.000Z",
  "2026-02-25T11:59:59.999Z",
  "2026-02-25T12:00:00.000Z",
  "2026-02-28T23:59:59.999Z",
  "2026-03-01T00:00:00.000Z",
  "2026-03-01T23:59:59.999Z",
  "2026-03-02T00:00:00.000Z",
  "2026-03-02T00:00:59.999Z",
  "2026-03-02T00:01:00.000Z",
  "2026-03-04T11:00:00.000Z",
  "2026-03-04T12:00:00.000Z",
  "2026-03-04T12:05:00.000Z"
]
const instant = fc.constantFrom(...instants)

const tokens = fc.oneof(
  fc.integer({ min: 0, max: 20 }),
  fc.constantFrom(1000, 1001, 1_000_001, Number.MAX_SAFE_INTEGER)
)
const usd = fc.oneof(
  fc.constantFrom<string | number>("0", 0, "0.000000001", 1e-9, "1000000000", 1e9, "12.5"),
  fc.integer({ min: 0, max: 1_000_000 }).map((nanos) => (nanos / 1e9).toFixed(9))
)
/** Sums of these are exact in any order, so that means are equal to the last digit. */
const millis = fc.integer({ min: 0, max: 4000 }).map((quarters) => quarters / 4)

const tagNames = ["area", "tone", "__proto__", "constructor"]
const tags = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...tagNames), fc.oneof(text, fc.constantFrom(1, true))), {
    selector: ([name]) => name,
    maxLength: 3
  })
  .map((entries) => Object.fromEntries(entries))
const classifierIds = ["topic", "__proto__"]
const classifiers = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...classifierIds), tags), { selector: ([id]) => id, maxLength: 2 })
  .map((entries) => Object.fromEntries(entries))

const event = fc.record(
  {
    created_at: instant,
    model: fc.constantFrom("acme/a", "acme/a:free", "acme/\uffee", "acme/\u{1f600}:free"),
    provider: fc.constantFrom("acme", "other"),
    prompt_tokens: tokens,
    completion_tokens: fc.integer({ min: 0, max: 50 }),
    cost_usd: usd,
    api_key_hash: text,
    workspace_id: fc.constant(workspace),
    user_id: text,
    external_user: text,
    app: text,
    origin: text,
    country: text,
    reasoning_tokens: tokens,
    cached_tokens: tokens,
    cache_write_tokens: tokens,
    byok: fc.boolean(),
    byok_cost_usd: usd,
    cost_components: fc
      .uniqueArray(fc.tuple(fc.constantFrom(...costComponents), usd), { selector: ([name]) => name, maxLength: 3 })
      .map((entries) => Object.fromEntries(entries)),
    status: fc.constantFrom("ok", "ok", "error", "rate_limited", "cancelled", "blocked"),
    finish_reason: text,
    latency_ms: millis,
    generation_ms: fc.constantFrom(0, 250, 500, 1000, 4000),
    classifiers,
    guardrail_invoked: fc.boolean(),
    guardrail_id: fc.constantFrom(workspace, "ded01a3f-c4cc-577a-8dcd-824fa38f35e0"),
    endpoint_tag: text,
    session_id: text,
    response_cached: fc.boolean()
  },
  { requiredKeys: ["created_at", "model", "provider", "prompt_tokens", "completion_tokens", "cost_usd"] }
)

const events = fc
  .array(event, { maxLength: 40, size: "max" })
  .map((list) => list.map((fields, index) => SentUsageEvent.parse({ id: `event-${index % 17}`, ...fields })))

const metricNames = [...analyticsMetrics.map(({ name }) => name), ...Object.keys(metricAliases)]
const dimensionNames = analyticsDimensions.map(({ name }) => name)
const scalarOperators = ["eq", "neq", "gt", "gte", "lt", "lte"]

const dimensionValue = fc.oneof(
  text,
  fc.constantFrom("acme/a", "free", "acme", "1K", "10M", "event-1", "ok", workspace)
)
const metricValue = fc.constantFrom<string | number>(
  0,
  1,
  2,
  0.5,
  12.5,
  1e-9,
  "0.000000001",
  1e9,
  1e300,
  -1,
  1000,
  "9007199254740993",
  4
)

const dimensionFilter = fc.oneof(
  fc.record({
    field: fc.constantFrom(...dimensionNames),
    operator: fc.constantFrom(...scalarOperators),
    value: dimensionValue
  }),
  fc.record(
    {
      field: fc.constantFrom(...dimensionNames),
      operator: fc.constantFrom("in", "not_in"),
      value: fc.array(dimensionValue, { maxLength: 4 }),
      include_unset: fc.boolean()
    },
    { requiredKeys: ["field", "operator", "value"] }
  )
)
const metricFilter = fc.oneof(
  fc.record({
    field: fc.constantFrom(...metricNames),
    operator: fc.constantFrom(...scalarOperators),
    value: metricValue
  }),
  fc.record({
    field: fc.constantFrom(...metricNames),
    operator: fc.constantFrom("in", "not_in"),
    value: fc.array(metricValue, { maxLength: 4 })
  })
)
const equalities = fc.dictionary(fc.constantFrom(...dimensionNames), dimensionValue, { maxKeys: 2 })

const classifierParts = fc.constantFrom(...classifierIds, "never-recorded").chain((classifier_id) => {
  const name = fc.constantFrom(...tagNames)
  const one = fc.record(
    {
      classifier_id: fc.constant(classifier_id),
      dimension_names: fc.uniqueArray(name, { maxLength: 2 }),
      include_nulls: fc.boolean()
    },
    { requiredKeys: ["classifier_id"] }
  )
  const filters = fc.record({
    classifier_id: fc.constant(classifier_id),
    filters: fc.array(
      fc.oneof(
        fc.record({ field: name, operator: fc.constantFrom("eq", "neq"), value: fc.oneof(text, fc.constant(1)) }),
        fc.record({ field: name, operator: fc.constantFrom("in", "not_in"), value: fc.array(text, { maxLength: 3 }) })
      ),
      { minLength: 1, maxLength: 2 }
    )
  })
  return fc.record({
    classifier_dimensions: optional(
      fc.oneof(
        one,
        one.map((item) => [item])
      )
    ),
    classifier_filters: optional(fc.oneof(filters, fc.array(filters, { maxLength: 2 })))
  })
})

const query = fc
  .record({
    metrics: fc.uniqueArray(fc.constantFrom(...metricNames), { minLength: 1, maxLength: 6 }),
    dimensions: optional(fc.array(fc.constantFrom(...dimensionNames), { maxLength: 2 })),
    granularity: optional(fc.constantFrom("minute", "hour", "day", "week", "month")),
    time_range: optional(
      fc
        .tuple(instant, instant)
        .filter(([start, end]) => start < end)
        .map(([start, end]) => ({ start, end }))
    ),
    filters: optional(
      fc.oneof(
        equalities,
        fc.array(fc.oneof({ weight: 3, arbitrary: dimensionFilter }, metricFilter), { maxLength: 2 })
      )
    ),
    limit: optional(fc.integer({ min: 1, max: 8 })),
    group_limit: optional(fc.integer({ min: 1, max: 3 })),
    classifier: optional(classifierParts),
    ordered: optional(fc.record({ pick: fc.nat(), direction: fc.constantFrom("asc", "desc") }))
  })
  .map(({ ordered, classifier, ...fields }) => {
    const fieldNames = [
      "request_count",
      ...fields.metrics,
      ...(fields.dimensions ?? []),
      ...(fields.granularity === undefined ? [] : ["date"])
    ]
    return AnalyticsQuery.parse({
      ...fields,
      ...classifier,
      order_by: ordered && { field: fieldNames[ordered.pick % fieldNames.length], direction: ordered.direction }
    })
  })

/** The events that count: the first with each id. */
const firsts = (sent: readonly SentUsageEvent[]): readonly SentUsageEvent[] =>
  sent.filter((event, index) => sent.findIndex(({ id }) => id === event.id) === index)

/** What is asked about where nothing is said: seven days, and as far ahead as events may be dated. */
const defaultRange = {
  start: new Date(now - 7 * 86_400_000).toISOString(),
  end: new Date(now + 5 * 60_000).toISOString()
}

/**
 * Registers the property for a store. Each run has an account of its own; events go in through the operation, as one body or as
 * lines in chunks, and queries through the operation too.
 */
export const analyticsAgreement = (
  name: string,
  makeStore: () => Layer.Layer<StorePorts, unknown>,
  options: { readonly runs?: number } = {}
): void => {
  describe(`analytics on ${name}`, () => {
    const run = storeUnderTest(() => layerInstance(makeStore(), testKeyring), now)

    it("answers what the oracle answers", { timeout: 600_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(
          events,
          fc.array(query, { minLength: 1, maxLength: 6 }),
          fc.boolean(),
          fc.nat({ max: 40 }),
          fc.tuple(fc.nat({ max: 12 }), fc.nat({ max: 12 })),
          async (sent, queries, asLines, cut, sums) => {
            const caller: Caller = {
              account_id: crypto.randomUUID(),
              key_hash: "",
              kind: "management",
              workspace_id: null,
              default_workspace_id: workspace,
              user_id: null,
              is_operator: false,
              restrictions: null
            }
            const counted = firsts(sent)
            const record = async (part: readonly SentUsageEvent[], accepted: number) => {
              const body: Parameters<typeof recordUsageEvents>[1] = asLines
                ? { kind: "lines", lines: Stream.succeed(part) }
                : { kind: "value", value: { events: [...part] } }
              const recorded = await run(Effect.result(recordUsageEvents(caller, body)))
              assert.deepEqual(recorded._tag === "Success" && recorded.success, {
                accepted,
                duplicates: part.length - accepted
              })
            }
            // A store that keeps sums answers the same whether events wait for theirs, all of them or some, and whatever comes late.
            const sum = async (times: number) => {
              const fold = Effect.flatMap(Retention, (retention) => retention.foldUsage(7))
              for (let time = 0; time < times; time++) await run(byHand({ now: now + (time + 1) * 86_400_000 })(fold))
            }
            const early = firsts(sent.slice(0, cut))
            await record(sent.slice(0, cut), early.length)
            await sum(sums[0])
            await record(sent.slice(cut), counted.length - early.length)
            await sum(sums[1])
            for (const query of queries) {
              const expected = expectedAnswer(query, counted, { default_workspace_id: workspace, now })
              const answered = await run(Effect.result(queryAnalytics(caller, query)))
              if (expected === "unknown_classifier") {
                assert.strictEqual(answered._tag === "Failure" && answered.failure.reason, expected)
                continue
              }
              if (answered._tag === "Failure") assert.fail(JSON.stringify(answered.failure))
              const { data, metadata } = answered.success
              assert.deepEqual(data, expected.rows)
              assert.deepEqual(metadata, {
                query_time_ms: 0,
                row_count: expected.rows.length,
                truncated: expected.truncated,
                ...(query.time_range == null ? { time_range: defaultRange } : {})
              })
            }
          }
        ),
        { numRuns: options.runs ?? 200 }
      )
    })
  })
}
