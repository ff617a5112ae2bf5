/** The database alerts of keys and destinations when the pure functions of core do. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import * as fc from "fast-check"
import { deadSince, type DeliveryHealth, expiryNotice } from "../../core/src/alert/conditions.ts"
import { functions } from "../../postgres/src/migrations/functions.ts"
import { emptyEngines } from "../postgres/emptyEngines.ts"

const now = Date.parse("2026-03-01T00:00:00Z")
const day = 86_400_000

/** On a border, and a millisecond to each side. */
const around = (...borders: readonly number[]): readonly number[] =>
  borders.flatMap((border) => [border - 1, border, border + 1])

const expiries = around(0, day, 7 * day).flatMap((left) =>
  around(day, 7 * day, 30 * day).map((lives) => ({ created: now + left - lives, expires: now + left }))
)

const since = fc.constantFrom(null, ...around(0, 300_000, 3_600_000).map((ago) => now - ago))
const health: fc.Arbitrary<DeliveryHealth> = fc.record({
  is_open: fc.boolean(),
  due_at: fc.constantFrom(null, now),
  failing_since: since,
  refusals: fc.nat({ max: 4 }),
  refusing_since: since
})

const rules = ["expiry_notice", "dead_since"].map(
  (name) => functions.find((one) => one.name === `gatewarden_${name}`)?.sql ?? ""
)

describe.each(Object.entries(emptyEngines()))("when to alert on %s", (_, engine) => {
  const test = (name: string, body: Effect.Effect<void, unknown, SqlClient.SqlClient>) =>
    it.live(name, () => Effect.flatMap(engine, (layer) => Effect.provide(body, layer)))

  test(
    "is what core says",
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const rule of rules) yield* sql.unsafe(rule)
      const keys = yield* sql<{ notice: number | null }>`
        select gatewarden_expiry_notice(to_timestamp(c.created / 1000.0), to_timestamp(c.expires / 1000.0),
          to_timestamp(${now}::float8 / 1000.0)) as notice
        from json_to_recordset(${JSON.stringify(expiries)}::text::json) as c (created float8, expires float8)`
      assert.deepEqual(
        keys.map(({ notice }) => notice ?? undefined),
        expiries.map(({ created, expires }) => expiryNotice(created, expires, now))
      )
      const states = fc.sample(health, { numRuns: 2_000, seed: fc.readConfigureGlobal().seed ?? 0 })
      const dead = yield* sql<{ since: number | null }>`
        select (extract(epoch from gatewarden_dead_since(c.is_open, to_timestamp(c.due_at / 1000.0),
          to_timestamp(c.failing_since / 1000.0), c.refusals, to_timestamp(c.refusing_since / 1000.0),
          to_timestamp(${now}::float8 / 1000.0))) * 1000)::float8 as since
        from json_to_recordset(${JSON.stringify(states)}::text::json)
          as c (is_open boolean, due_at float8, failing_since float8, refusals int, refusing_since float8)`
      const expected = states.map((state) => deadSince(state, now))
      assert.deepEqual(
        dead.map(({ since }) => since ?? undefined),
        expected
      )
      assert.sameMembers([...new Set(expected.map((one) => one !== undefined))], [true, false])
    })
  )
})
