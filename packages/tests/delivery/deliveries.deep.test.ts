/**
 * Deliveries survive what happens to them: four dispatcher processes are killed while they work, and platforms answer 500, 429, late, in halves
 * or not at all. Nothing is lost, what arrives twice was in flight at a kill, and sessions arrive in their order.
 *
 * `GATEWARDEN_DELIVERY_EVENTS` is how many events are recorded; `GATEWARDEN_SEED` determines who is killed when.
 */
import { layerInstance, recordUsageEvents, DeliveryLog, Destinations } from "@gatewarden/core/internal"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { afterEach, assert, describe, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import * as fc from "fast-check"
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { inject } from "vitest"
import { callerOf } from "@gatewarden/testkit/delivery/deliverySuite"
import { type Fault, type FaultyPlatform, startFaultyPlatform } from "@gatewarden/testkit/delivery/faultyPlatform"
import { newTenant, sealedDestination } from "@gatewarden/conformance/internal/delivery/waitingEvents"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { rounds } from "@gatewarden/testkit/server/rounds"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { testKeyring } from "@gatewarden/conformance/internal/vault/testKeyring"

const events = rounds("GATEWARDEN_DELIVERY_EVENTS", 20_000)
const sessions = 50
const recordedAtOnce = 1_000
const dispatchers = 4

const dispatcher = fileURLToPath(new URL("../../testkit/dist/server/dispatchDeliveries.js", import.meta.url))
const running: ChildProcess[] = []
const platforms: FaultyPlatform[] = []
afterEach(() => {
  running.splice(0).forEach((child) => child.kill("SIGKILL"))
  platforms.splice(0).forEach((platform) => platform.close())
})

const start = (url: string): ChildProcess => {
  const child = spawn(process.execPath, [dispatcher, url], { stdio: ["ignore", "ignore", "inherit"] })
  running.push(child)
  return child
}

const idOf = (index: number): string => `gen-${String(index).padStart(7, "0")}`
const indexOf = (id: string): number => Number(id.slice(4))

/** How often a platform was sent again what it had accepted: a run of repeated events in a row is one time. */
const repetitionsIn = (accepted: readonly string[]): number => {
  const seen = new Set<string>()
  let runs = 0
  let isRepeated = false
  for (const id of accepted) {
    if (seen.has(id) && !isRepeated) runs++
    isRepeated = seen.has(id)
    seen.add(id)
  }
  return runs
}

/** Of each session, the indices of events in the order of their first arrivals. */
const firstArrivals = (accepted: readonly string[]): ReadonlyMap<number, readonly number[]> => {
  const bySession = new Map<number, number[]>()
  for (const id of new Set(accepted)) {
    const session = indexOf(id) % sessions
    const known = bySession.get(session)
    if (known === undefined) bySession.set(session, [indexOf(id)])
    else known.push(indexOf(id))
  }
  return bySession
}

const faultsAt =
  (faults: Readonly<Record<number, Fault>>) =>
  (request: number): Fault | undefined =>
    faults[request]

describe("deliveries", () => {
  it(
    `lose none of ${events} events, repeat only what a kill left in flight, and keep the order of sessions`,
    { timeout: 600_000 },
    async () => {
      const url = await createMigratedDatabase(inject("postgres"))
      const requests = events / 100
      // Which processes are killed, and after how many requests: in the first half, so that every kill is followed by work.
      const [kills = []] = fc.sample(
        fc.array(fc.record({ after: fc.integer({ min: 10, max: requests * 2 }), who: fc.nat(dispatchers - 1) }), {
          minLength: 6,
          maxLength: 6
        }),
        1
      )
      const due = kills.toSorted((a, b) => b.after - a.after)
      let arrived = 0
      let killed = 0
      const processes: ChildProcess[] = []
      const onRequest = () => {
        arrived++
        for (let next = due.at(-1); next !== undefined && next.after <= arrived; next = due.at(-1)) {
          due.pop()
          // While its request is in flight, or another one's.
          processes[next.who]?.kill("SIGKILL")
          processes[next.who] = start(url)
          killed++
        }
      }
      const well = faultsAt({})
      const broken = faultsAt({ 3: 500, 8: "reset", 9: "reset", 20: "half", 30: 500 })
      const slow = faultsAt({ 2: 429, 12: "silence", 25: 429, 26: 429 })
      const dead = (): Fault => "reset"
      for (const faultOf of [well, well, broken, slow]) platforms.push(await startFaultyPlatform(faultOf, onRequest))
      const never = await startFaultyPlatform(dead)
      platforms.push(never)

      const store = layerInstance(layerPostgresStore({ url: Redacted.make(url), notifications: false }), testKeyring)
      const program = Effect.gen(function* () {
        const tenant = yield* newTenant
        const ids: string[] = []
        for (const platform of platforms)
          ids.push(yield* sealedDestination(tenant, { config: { url: platform.url, method: "POST" } } as object))
        for (let count = 0; count < dispatchers; count++) processes.push(start(url))
        for (let from = 0; from < events; from += recordedAtOnce) {
          const value = {
            events: Array.from({ length: Math.min(recordedAtOnce, events - from) }, (_, index) => ({
              id: idOf(from + index),
              created_at: "2026-03-04T11:00:00.000Z",
              session_id: `session ${(from + index) % sessions}`,
              ...{ model: "acme/sonnet", provider: "acme", prompt_tokens: 1, completion_tokens: 1, cost_usd: "0" }
            }))
          }
          yield* recordUsageEvents(callerOf(tenant), { kind: "value", value })
        }
        const deadId = ids.at(-1) ?? ""
        const whole = (some: readonly FaultyPlatform[]) => () =>
          Promise.resolve(some.every(({ accepted }) => new Set(accepted).size === events) ? true : undefined)
        yield* Effect.promise(() => eventually("all events", whole(platforms.slice(0, -1)), 500_000))

        // The dead one kept everything for itself, and gets it when it is well and somebody says so.
        const log = yield* DeliveryLog
        assert.strictEqual((yield* log.waiting(tenant.account_id, deadId)).waiting, Math.min(events, 10_000))
        assert.isEmpty(never.accepted)
        never.mend()
        const now = new Date().toISOString()
        yield* (yield* Destinations).update(tenant.account_id, deadId, { name: "well again" }, undefined, now)
        yield* Effect.promise(() => eventually("the events of the dead one", whole([never]), 100_000))
        yield* Effect.promise(() =>
          eventually("an empty stream", async () => {
            const [row] = await execute(url, "select count(*)::int as n from gatewarden_delivery")
            return row?.n === 0 ? true : undefined
          })
        )
        const [letters] = yield* Effect.promise(() =>
          execute(url, "select count(*)::int as n from gatewarden_dead_letter")
        )
        assert.strictEqual(letters?.n, 0)
      })
      await Effect.runPromise(Effect.scoped(Effect.provide(program, store)) as Effect.Effect<void, unknown>)

      assert.strictEqual(killed, kills.length, "every kill happened")
      for (const { accepted } of platforms) {
        assert.strictEqual(new Set(accepted).size, events)
        // A process works on one batch of 1,000 events of a destination at a time.
        assert.isAtMost(accepted.length - events, killed * 1_000)
        assert.isAtMost(repetitionsIn(accepted), killed)
        for (const [session, indices] of firstArrivals(accepted))
          assert.deepEqual(
            indices,
            indices.toSorted((a, b) => a - b),
            `session ${session}`
          )
      }
    }
  )
})
