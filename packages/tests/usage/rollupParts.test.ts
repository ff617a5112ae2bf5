/**
 * Sums of a day are made part by part, while events of the day come in. Whatever is kept of a day equals its events that do not wait.
 *
 * Rule: analytics#sources.
 */
import { assert, describe, it } from "@effect/vitest"
import { byHand } from "@gatewarden/conformance/internal/HandClock"
import { storeUnderTest } from "@gatewarden/conformance/internal/stores/storeUnderTest"
import { spendingEvent } from "@gatewarden/conformance/internal/usage/spendingEvent"
import { Retention, UsageLog } from "@gatewarden/core/internal"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { Effect, Layer, Redacted, Stream } from "effect"
import * as fc from "fast-check"
import { inject } from "vitest"
import { layerPostgres } from "../../postgres/src/connection/layerPostgres.ts"
import { layerStore } from "../../postgres/src/store/layerStore.ts"

const database = { url: "" }

const store = Layer.unwrap(
  Effect.promise(async () => {
    const url = await createMigratedDatabase(inject("postgres"))
    const atOnce =
      "create or replace function gatewarden_summed_at_once() returns int language sql immutable as 'select 900'"
    await execute(url, atOnce)
    database.url = url
    return layerStore.pipe(Layer.provide(layerPostgres({ url: Redacted.make(url) })))
  })
)

const dayMillis = 86_400_000
const today = Date.parse("2026-03-04T00:00:00.000Z")
const noon = today + dayMillis / 2
const workspace_id = "6f1b1c9e-5a0e-4d43-8d4c-0d3d8f6f2a10"

/** Sets that are kept of a day, beside what the day has: of each as many requests and tokens as of its events that do not wait. */
const differences = (account: string) =>
  execute(
    database.url,
    `with kept as (select d.*, unnest(d.kept) as number from gatewarden_usage_day d where d.account_id = '${account}'),
    events as (
      select (e.created_at at time zone 'UTC')::date as day, count(*) as requests, sum(e.prompt_tokens) as tokens from gatewarden_usage_event e
      where e.account_id = '${account}'
        and not exists (select from gatewarden_usage_unfolded u where u.account_id = e.account_id and u.id = e.id)
      group by 1
    )
    select * from (
      select k.day, k.number, e.requests::int, e.tokens::int, sum(c.request_count)::int as summed, sum(c.prompt_tokens)::int as summed_tokens,
        (select sum(s.latency_ms_count)::int from gatewarden_usage_spread s where s.account_id = k.account_id
          and s.rollup = k.number & 127 and s.is_day = (k.number < 128) and (s.bucket at time zone 'UTC')::date = k.day
          and k.number = any (gatewarden_coarse_sets())) as measured
      from kept k left join events e on e.day = k.day
      left join gatewarden_usage_cell c on c.account_id = k.account_id and c.rollup = k.number & 127 and c.is_day = (k.number < 128)
        and (c.bucket at time zone 'UTC')::date = k.day
      group by k.account_id, k.day, k.number, e.requests, e.tokens
    ) compared
    where (requests, tokens) is distinct from (summed, summed_tokens) or measured <> requests`
  )

type Step =
  | { readonly record: number; readonly day: number }
  | { readonly sum: number }
  | { readonly erase: string }
  | { readonly later: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ record: fc.constantFrom(1, 40, 700, 2_500), day: fc.constantFrom(-1, 0) }) },
  { weight: 5, arbitrary: fc.record({ sum: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 1, arbitrary: fc.record({ erase: fc.constantFrom("user 1", "user 2") }) },
  { weight: 1, arbitrary: fc.constant({ later: dayMillis } as const) }
)

/** Events come after the first part of the day in progress, at places that are passed and not. */
const interrupted = [
  { record: 2_500, day: 0 },
  { sum: 2 },
  { record: 40, day: 0 },
  { sum: 3 },
  { record: 700, day: -1 },
  { later: dayMillis },
  { sum: 2 },
  { erase: "user 1" },
  { record: 1, day: 0 },
  { sum: 2 }
] as const
const evenly = Array.from({ length: 20 }, (_, n) => n / 20)

describe("the sums of a day", () => {
  const run = storeUnderTest(() => store, noon)

  it("are made in parts, and equal its events whatever comes in between", { timeout: 600_000 }, async () => {
    let finished = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 4, maxLength: 12 }) as fc.Arbitrary<readonly Step[]>,
        fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { minLength: 20, maxLength: 20 }),
        async (steps, places) => {
          const account = crypto.randomUUID()
          let now = noon
          let recorded = 0
          const fold = () => run(byHand({ now })(Effect.flatMap(Retention, (retention) => retention.foldUsage(3_000))))
          for (const one of steps) {
            now += 90_000
            if ("later" in one) now += one.later
            else if ("sum" in one) for (let time = 0; time < one.sum; time++) await fold()
            else if ("record" in one) {
              const some = Array.from({ length: one.record }, () => {
                const n = recorded++
                const place = Math.floor(((places[n % 20] ?? 0) * 0.9 + (n % 97) / 1_000) * dayMillis * 0.99)
                return spendingEvent({
                  ...{
                    id: `${account}-${n}`,
                    created_at: new Date(today + one.day * dayMillis + place).toISOString(),
                    workspace_id
                  },
                  ...{
                    api_key_hash: "a".repeat(64),
                    user_id: `user ${n % 3}`,
                    status: "ok",
                    latency_ms: n + 1,
                    prompt_tokens: n % 11
                  }
                })
              })
              await run(byHand({ now })(Effect.flatMap(UsageLog, (log) => log.record(account, Stream.make(some)))))
            } else {
              const rename = `update gatewarden_usage_event set user_id = 'gone' where account_id = '${account}' and user_id = '${one.erase}'`
              await execute(database.url, `${rename} and prompt_tokens < 5`)
              await fold()
              await execute(
                database.url,
                rename,
                `select gatewarden_erase_usage_cells('${account}', 'user', '${one.erase}', 'gone')`
              )
              const named = `select from gatewarden_usage_cell where account_id = '${account}' and user_id = '${one.erase}'`
              assert.deepEqual(await execute(database.url, named), [])
            }
            assert.deepEqual(await differences(account), [])
          }
          // All is summed in the end.
          now += 3 * dayMillis
          for (let time = 0; time < 100 && (await fold()) > 0; time++) now += 90_000
          assert.deepEqual(await differences(account), [])
          const days = await execute(
            database.url,
            `select events::int, is_closed, making, cardinality(kept) as sets from gatewarden_usage_day where account_id = '${account}'`
          )
          for (const day of days) {
            assert.strictEqual(day["is_closed"], true)
            assert.isNull(day["making"])
            if (Number(day["events"]) >= 1_000) {
              assert.isAtLeast(Number(day["sets"]), 6)
              finished++
            }
          }
        }
      ),
      { numRuns: 10, examples: [[interrupted, evenly]] }
    )
    assert.isAtLeast(finished, 1)
  })
})
