/**
 * Holds a store to the meaning of endpoint statistics: random endpoints and events, against the definitions
 * (Rule: models#endpoint-statistics).
 */
import type { EndpointStatistics } from "@gatewarden/contract"
import {
  type EndpointStatisticsQuery,
  EndpointStatisticsReader,
  ModelCatalog,
  Retention,
  type StorePorts,
  type UsageEvent,
  UsageLog
} from "@gatewarden/core/store"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Stream } from "effect"
import * as fc from "fast-check"
import type { HandClock } from "../HandClock.ts"
import { catalogModel } from "../model/catalogModel.ts"
import { storeUnderTest } from "../stores/storeUnderTest.ts"
import { usageEventArbitrary } from "./usageEventArbitrary.ts"

const now = Date.parse("2026-03-04T00:10:00.000Z")
const minute = 60_000

/** Ages on both sides of the three borders, and of now, and some in between. */
const ages = [
  ...[-1, 0, 1, 5 * minute, 5 * minute + 1, 30 * minute, 30 * minute + 1, 1440 * minute, 1440 * minute + 1],
  ...[29 * minute + 59_999, 77 * minute, 77 * minute + 30_000, 600 * minute + 1, 601 * minute, 1439 * minute + 1]
]

/** When background work runs, from now: a clock that is ahead sums what is in a window. */
const turns = fc.option(fc.constantFrom(0, 2 * minute, 14 * minute), { freq: 2 })

const name = fc.constantFrom("acme", "Acme", "acme/fp8", "private/1", "\u{1f600}", "q'\\{,}\"")
const variant = fc.constantFrom("", "free", "beta", "\uffee")
const measured = fc.option(fc.oneof(fc.integer({ min: 0, max: 5 }), fc.double({ min: 0, max: 1e9, noNaN: true })), {
  freq: 5
})

const event = (model: string) =>
  usageEventArbitrary({
    model: fc.constantFrom(model, model, model, `${model}-else`),
    variant,
    created_at: fc.constantFrom(...ages).map((age) => new Date(now - age).toISOString()),
    recorded_at: fc.constant(new Date(now).toISOString()),
    provider: name,
    endpoint_tag: fc.option(name, { freq: 3 }),
    status: fc.constantFrom("ok", "ok", "ok", "error", "rate_limited", "cancelled", "blocked"),
    latency_ms: measured,
    throughput: measured,
    self_reported: fc.constantFrom(false, false, true)
  })

const variants = fc
  .record({
    included: fc.uniqueArray(variant, { maxLength: 3 }),
    more: fc.uniqueArray(variant, { maxLength: 2 }),
    others: fc.boolean()
  })
  .map(({ included, more, others }) => ({ included, listed: [...new Set([...included, ...more])], others }))

const endpoints = fc.array(fc.record({ tag: name, provider_slug: name }), { maxLength: 4 })

const own = (event: UsageEvent, query: EndpointStatisticsQuery, endpoint: { tag: string; provider_slug: string }) => {
  const { included, listed, others } = query.variants
  const counted = included.includes(event.variant) || (others && !listed.includes(event.variant))
  const served =
    event.endpoint_tag === null
      ? event.provider === endpoint.provider_slug && !endpoint.tag.startsWith("private/")
      : event.endpoint_tag === endpoint.tag
  return event.model === query.slug && counted && served
}

/** The smallest value that so many percent of all values do not exceed. */
const percentile = (values: readonly number[], percent: number): number =>
  Math.min(
    ...values.filter((value) => values.filter((other) => other <= value).length * 100 >= percent * values.length)
  )

const expected = (query: EndpointStatisticsQuery, events: readonly UsageEvent[]): readonly EndpointStatistics[] =>
  query.endpoints.map((endpoint) => {
    const within = (minutes: number) =>
      events.filter((event) => {
        const age = now - Date.parse(event.created_at)
        return own(event, query, endpoint) && age >= 0 && age <= minutes * minute
      })
    const spread = (field: "latency_ms" | "throughput") => {
      const values = within(30).flatMap((event) =>
        event.status === "ok" && event[field] !== null ? [event[field]] : []
      )
      if (values.length === 0) return null
      const [p50 = 0, p75 = 0, p90 = 0, p99 = 0] = [50, 75, 90, 99].map((percent) => percentile(values, percent))
      return { p50, p75, p90, p99 }
    }
    const uptime = (minutes: number) => {
      const outcomes = within(minutes).flatMap(({ status }) => (status === "ok" || status === "error" ? [status] : []))
      return outcomes.length === 0
        ? null
        : (outcomes.filter((status) => status === "ok").length * 100) / outcomes.length
    }
    return {
      latency_last_30m: spread("latency_ms"),
      throughput_last_30m: spread("throughput"),
      uptime_last_5m: uptime(5),
      uptime_last_30m: uptime(30),
      uptime_last_1d: uptime(1440)
    }
  })

/** Registers the property for a store. Each run has a model of its own. */
export const endpointStatisticsAgreement = (
  title: string,
  makeStore: () => Layer.Layer<StorePorts, unknown>,
  options: { readonly runs?: number } = {}
): void => {
  describe(`endpoint statistics on ${title}`, () => {
    const clock: HandClock = { now }
    const run = storeUnderTest(makeStore, clock)
    let models = 0
    const sum = async (ahead: number, atOnce: number) => {
      clock.now = now + ahead
      await run(
        Effect.flatMap(Retention, (retention) =>
          Effect.repeat(retention.measureEndpoints(atOnce), { while: (done) => done > 0 })
        )
      )
      clock.now = now
    }

    it("are what the definitions say", { timeout: 300_000 }, async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(event("model"), { maxLength: 60 }),
          variants,
          endpoints,
          fc.boolean(),
          fc.tuple(turns, turns),
          fc.constantFrom(7, 1_000),
          fc.boolean(),
          async (drawn, variants, endpoints, isOwn, sums, atOnce, isListed) => {
            const slug = `acme/model-${++models}`
            // What the installation lists is summed over accounts.
            if (isListed && !isOwn)
              await run(
                Effect.flatMap(ModelCatalog, (port) => port.upsert([catalogModel(slug)], new Date(now).toISOString()))
              )
            const events = drawn.map((event) => ({
              ...event,
              id: crypto.randomUUID(),
              model: event.model === "model" ? slug : `${slug}-else`
            }))
            const accounts = [crypto.randomUUID(), crypto.randomUUID()] as const
            const query = { slug, variants, endpoints, now, account_id: isOwn ? accounts[0] : undefined }
            const half = Math.floor(events.length / 2)
            const parts = [events.slice(0, half), events.slice(half)] as const
            for (const [index, account] of accounts.entries()) {
              await run(Effect.flatMap(UsageLog, (log) => log.record(account, Stream.succeed(parts[index] ?? []))))
              const ahead = sums[index]
              if (typeof ahead === "number") await sum(ahead, atOnce)
            }
            // Endpoints of the installation are everybody's: what the operator's side recorded in any account. An account's own are
            // its alone, whoever recorded it.
            const counted = isOwn ? parts[0] : events.filter(({ self_reported }) => !self_reported)
            const measured = await run(Effect.flatMap(EndpointStatisticsReader, (reader) => reader.measure(query)))
            assert.deepEqual(measured, expected(query, counted))
          }
        ),
        { numRuns: options.runs ?? 150 }
      )
    })
  })
}
