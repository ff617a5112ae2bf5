/** Bodies that another process moves between the stream and the dead letters while an erasure removes them: neither leaves them where the other looked before. */
import { DeadLetters, DeliveryQueue, BackgroundJobs, type StorePorts, type Vault } from "@gatewarden/core/internal"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import { inject } from "vitest"
import { readableStream } from "@gatewarden/conformance/internal/delivery/readableStream"
import { eventAt, newDestination, newTenant, recordFor } from "@gatewarden/conformance/internal/delivery/waitingEvents"
import { askFor, eraseAll, withVault } from "@gatewarden/conformance/internal/erasure/erasing"
import { byHand } from "@gatewarden/conformance/internal/HandClock"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"

const now = Date.parse("2026-03-04T12:00:00.000Z")
const id = "one"

const database = async () => {
  const url = await createMigratedDatabase(inject("postgres"))
  const run = <A>(effect: Effect.Effect<A, unknown, StorePorts | Vault>): Promise<A> =>
    Effect.runPromise(
      byHand({ now })(Effect.provide(effect, withVault(() => layerPostgresStore({ url: Redacted.make(url) }))()))
    )
  const own = await run(
    Effect.gen(function* () {
      const tenant = yield* newTenant
      const destination = yield* newDestination(tenant)
      const event = eventAt(id, tenant.workspace_id, now, { user_id: "anna" })
      yield* recordFor(tenant, [event], [destination], () => new Uint8Array([1]))
      yield* askFor(tenant, { user_id: "anna" })
      return { ...tenant, destination }
    })
  )
  /** Runs the work in a transaction that is open until the other waits for it. */
  const meanwhile = async (
    work: Effect.Effect<unknown, unknown, StorePorts | Vault>,
    other: () => Promise<unknown>
  ) => {
    let isDone = () => {}
    const done = new Promise<void>((resolve) => (isDone = resolve))
    const blocked = eventually("the other waits", async () => {
      const [row] = await execute(
        url,
        "select count(*)::int as n from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"
      )
      return row?.["n"] === 1 ? true : undefined
    })
    const first = run(
      Effect.gen(function* () {
        const jobs = yield* BackgroundJobs
        const { turn } = yield* jobs.claim(["erasures"], 60)
        if (turn === undefined) return yield* Effect.die(new Error("It is not due"))
        yield* jobs.commit(turn, () =>
          Effect.gen(function* () {
            yield* Effect.orDie(work)
            isDone()
            return { value: yield* Effect.promise(() => blocked) }
          })
        )
      })
    )
    await done
    await Promise.all([first, other()])
  }
  const claimed = Effect.gen(function* () {
    yield* readableStream
    const queue = yield* DeliveryQueue
    const [turn] = yield* queue.claim({ closed: { most: 9 }, open: { most: 9 } }, 10)
    if (turn === undefined) return yield* Effect.die(new Error("It is not due"))
    return [turn, Option.getOrThrow(yield* queue.read(turn, null, { events: 9, bytes: 9 }))] as const
  })
  const letDie = ([turn, { events, position }]: Effect.Success<typeof claimed>) =>
    Effect.gen(function* () {
      const dead = events.map(({ sealed_bodies }) => ({ event_id: id, status: 400, message: "no", sealed_bodies }))
      const rest = { accepted: 0, answer: undefined, attempt: undefined }
      const queue = yield* DeliveryQueue
      assert.isTrue(yield* queue.acknowledge(turn, { position: position ?? "", dead, ...rest }, 10))
    })
  const left = () =>
    execute(
      url,
      `select 'letter' as kind, message, sealed_bodies is not null as has_bodies from gatewarden_dead_letter
       union all select 'waiting', null, sealed_bodies is not null from gatewarden_delivery`
    )
  return { run, own, meanwhile, claimed, letDie, left }
}

describe("an erasure that runs", () => {
  it("while a delivery keeps a dead letter, removes what it keeps", async () => {
    const { run, meanwhile, claimed, letDie, left } = await database()
    const turn = await run(claimed)
    await meanwhile(letDie(turn), () => run(eraseAll))
    assert.deepEqual(await left(), [{ kind: "letter", message: "no", has_bodies: false }])
  })

  it("before a delivery keeps a dead letter, is waited for", async () => {
    const { run, meanwhile, claimed, letDie, left } = await database()
    const turn = await run(claimed)
    await meanwhile(eraseAll, () => run(letDie(turn)))
    assert.deepEqual(await left(), [{ kind: "letter", message: "no", has_bodies: false }])
  })

  it("while dead letters are replayed, removes what waits again", async () => {
    const { run, own, meanwhile, claimed, letDie, left } = await database()
    await run(Effect.flatMap(claimed, letDie))
    const replay = Effect.gen(function* () {
      const letters = yield* DeadLetters
      const found = yield* letters.find(own.account_id, own.destination, [id], 1_000)
      yield* letters.requeue(own.account_id, own.destination, found, new Date(now).toISOString())
    })
    await meanwhile(replay, () => run(eraseAll))
    assert.deepEqual(await left(), [{ kind: "waiting", message: null, has_bodies: false }])
  })
})
