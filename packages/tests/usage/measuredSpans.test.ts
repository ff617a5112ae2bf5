/**
 * What statistics of endpoints are read from: percentiles of many values, who sees what was summed, and how long it is kept.
 *
 * Rule: models#endpoint-statistics.
 */
import { createAccount, EndpointStatisticsReader, ModelCatalog, Retention, UsageLog } from "@gatewarden/core/internal"
import type { StorePorts, UsageEvent } from "@gatewarden/core/store"
import { assert, describe, it } from "@effect/vitest"
import type { HandClock } from "@gatewarden/conformance/internal/HandClock"
import { catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import { storeUnderTest } from "@gatewarden/conformance/internal/stores/storeUnderTest"
import { spendingEvent } from "@gatewarden/conformance/internal/usage/spendingEvent"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { Effect, Layer, Redacted, Stream } from "effect"
import { inject } from "vitest"
import { layerPostgres } from "../../postgres/src/connection/layerPostgres.ts"
import { layerStore } from "../../postgres/src/store/layerStore.ts"

const begin = Date.parse("2026-03-04T12:00:30.000Z")
const second = 1_000
const minute = 60 * second
const hour = 60 * minute

/** Values over four orders of magnitude, in an order that looks like none. */
const latency = (n: number) => Math.round(10 ** (((n * 7919) % 2_000) / 500) * 1_000) / 1_000
const nearestRank = (values: readonly number[], percent: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil((values.length * percent) / 100) - 1] ?? Number.NaN
const exactly = (values: readonly number[]) => [50, 75, 90, 99].map((percent) => nearestRank(values, percent))

describe("spans of what was measured", () => {
  const database = { url: "" }
  const clock: HandClock = { now: begin }
  const run = storeUnderTest<StorePorts>(
    () =>
      Layer.unwrap(
        Effect.promise(async () => {
          database.url = await createMigratedDatabase(inject("postgres"))
          return layerStore.pipe(Layer.provide(layerPostgres({ url: Redacted.make(database.url) })))
        })
      ),
    clock
  )
  const at = async <A>(now: number, work: () => Promise<A>): Promise<A> => {
    clock.now = now
    return work().finally(() => (clock.now = begin))
  }
  const sum = (now: number) =>
    at(now, () =>
      run(
        Effect.flatMap(Retention, (retention) =>
          Effect.repeat(retention.measureEndpoints(1_000), { while: (done) => done > 0 })
        )
      )
    )
  const measure = async (model: string, now: number, account_id?: string) => {
    const [only] = await run(
      Effect.flatMap(EndpointStatisticsReader, (reader) =>
        reader.measure({
          ...{ slug: model, account_id, now, endpoints: [{ tag: "acme/fp8", provider_slug: "acme" }] },
          variants: { included: [""], listed: [""], others: true }
        })
      )
    )
    return only ?? assert.fail("no endpoint")
  }
  const event = (model: string, age: number, fields: Partial<UsageEvent> = {}) =>
    spendingEvent({
      ...{ id: crypto.randomUUID(), workspace_id: crypto.randomUUID(), api_key_hash: "a".repeat(64), user_id: null },
      ...{ created_at: new Date(begin - age).toISOString(), recorded_at: new Date(begin).toISOString() },
      ...{ model, provider: "acme", endpoint_tag: "acme/fp8", status: "ok", ...fields }
    })
  const record = (account: string, events: readonly UsageEvent[]) =>
    run(Effect.flatMap(UsageLog, (log) => log.record(account, Stream.make(events))))
  const rows = async (table: string, model: string) =>
    (await execute(database.url, `select * from gatewarden_${table} where model = '${model}' order by 2`)).length

  it("have percentiles within 1 %, and exact ones of up to 1,000 values", async () => {
    const account = crypto.randomUUID()
    // Three minutes of 400 values each; the first minute begins before the window does.
    const values = Array.from({ length: 1_200 }, (_, n) => ({ n, age: 27.6 * minute + n * 150 }))
    const of = (many: number) =>
      values
        .slice(0, many)
        .map(({ n, age }) => event(`acme/many-${many}`, age, { latency_ms: latency(n), throughput: n }))
    await record(account, of(1_200))
    await record(account, of(1_000))
    const inWindow = values.filter(({ age }) => age <= 30 * minute)
    assert.isBelow(inWindow.length, 1_000)
    await sum(begin + 5 * minute)
    for (const many of [1_200, 1_000]) assert.strictEqual(await rows("measured_event", `acme/many-${many}`), 0)
    // All of the 1,200 are in the window of an earlier moment, which cuts no minute.
    const all = Object.values((await measure("acme/many-1200", begin - 90 * second)).latency_last_30m ?? {})
    const exact = exactly(values.map(({ n }) => latency(n)))
    for (const [index, value] of all.entries()) assert.approximately(value / (exact[index] ?? 0), 1, 0.01)
    assert.notDeepEqual(all, exact)
    const few = Object.values((await measure("acme/many-1000", begin - 90 * second)).latency_last_30m ?? {})
    assert.deepEqual(few, exactly(values.slice(0, 1_000).map(({ n }) => latency(n))))
    const cut = Object.values((await measure("acme/many-1200", begin)).throughput_last_30m ?? {})
    assert.deepEqual(cut, exactly(inWindow.map(({ n }) => n)))
  })

  it("are one an hour later on, and none after a day", async () => {
    const model = "acme/hours"
    const account = crypto.randomUUID()
    // Each quarter of an hour for a day; every eighth failed.
    const events = Array.from({ length: 97 }, (_, n) =>
      event(model, n * 15 * minute, { status: n % 8 === 0 ? "error" : "ok", latency_ms: 1 })
    )
    await record(account, events.slice(0, 50))
    await sum(begin)
    await record(account, events.slice(50))
    await sum(begin)
    // The current minute is not over; the four of 11 o'clock are minutes still.
    assert.strictEqual(await rows("measured_event", model), 1)
    assert.strictEqual(await rows("measured_span", model), 4 + 23)
    assert.strictEqual((await measure(model, begin)).uptime_last_1d, (84 * 100) / 97)
    // A late one joins its hour.
    await record(account, [event(model, 7 * hour, { status: "error" })])
    await sum(begin)
    assert.strictEqual(await rows("measured_span", model), 4 + 23)
    assert.strictEqual((await measure(model, begin)).uptime_last_1d, (84 * 100) / 98)
    assert.deepEqual((await measure(model, begin)).latency_last_30m, { p50: 1, p75: 1, p90: 1, p99: 1 })
    await sum(begin + 27 * hour)
    assert.strictEqual((await rows("measured_span", model)) + (await rows("measured_event", model)), 0)
  })

  it("leave out what was over a day old when it was recorded", async () => {
    await record(crypto.randomUUID(), [event("acme/old", 25 * hour), event("acme/old", 25 * hour + 1)])
    await record(crypto.randomUUID(), [event("acme/old", 25 * hour - 1)])
    assert.strictEqual(await rows("measured_event", "acme/old"), 1)
  })

  it("are of all accounts for a model of the installation, and of one for a model of its own", async () => {
    const model = "acme/shared"
    const [one = "", other = ""] = await run(
      Effect.map(Effect.all([createAccount("spans-1"), createAccount("spans-2")]), (made) =>
        made.map((account) => account?.account.id ?? "")
      )
    )
    await run(
      Effect.flatMap(ModelCatalog, (port) =>
        Effect.all([
          port.upsert([catalogModel(model)], new Date(begin).toISOString()),
          port.upsertOwn(one, [catalogModel(model)], { models: 9, endpoints: 9, characters: 1_000_000 })
        ])
      )
    )
    const failed = { status: "error" } as const
    for (const [account, events] of [
      [one, [event(model, hour), event(model, hour, { self_reported: true, ...failed })]],
      [other, [event(model, hour, failed)]],
      [crypto.randomUUID(), [event(model, hour, failed)]]
    ] as const)
      await record(account, events)
    await sum(begin)
    // What others recorded is one row; that of the account which has the model as its own stays its own.
    assert.strictEqual(await rows("measured_span", model), 3)
    assert.strictEqual((await measure(model, begin)).uptime_last_1d, 100 / 3)
    assert.strictEqual((await measure(model, begin, one)).uptime_last_1d, 50)
  })
})
