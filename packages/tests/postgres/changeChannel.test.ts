/** Processes that tell each other of changes over PostgreSQL: two sets of clients on one database stand for them. */
import { PgConnection } from "@effect/sql-pg"
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Fiber, Layer, Logger, Queue, Redacted, Scope } from "effect"
import { SqlClient } from "effect/sql"
import { inject } from "vitest"
import { createDatabase, execute } from "@gatewarden/testkit/stores/postgresServer"
import { ChangeChannel, type Channel, makeChangeChannel } from "../../postgres/src/connection/ChangeChannel.ts"
import { layerPostgres } from "../../postgres/src/connection/layerPostgres.ts"

const newDatabase = Effect.promise(() => createDatabase(inject("postgres")))

const join = (url: string, notifications?: boolean) =>
  Effect.map(Layer.build(layerPostgres({ url: Redacted.make(url), notifications })), (clients) =>
    Context.get(clients as Context.Context<never>, ChangeChannel)
  )

/** What the channel runs, in a queue. It begins with one, once the channel hears. */
const hearing = Effect.fnUntraced(function* ({ hear }: Channel) {
  const heard = yield* Queue.unbounded<void>()
  yield* Effect.forkScoped(hear(Effect.asVoid(Queue.offer(heard, undefined))))
  yield* Queue.take(heard)
  return heard
})

const listeners = `from pg_stat_activity where datname = current_database() and application_name = 'gatewarden notifications'`

describe("announcements over PostgreSQL", () => {
  it.live("reach every other process and not their own", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      const [one, other] = [yield* join(url), yield* join(url)]
      const [byOne, byOther] = [yield* hearing(one), yield* hearing(other)]
      for (let round = 0; round < 5; round++) {
        yield* one.announce
        yield* Queue.take(byOther)
        yield* other.announce
        yield* Queue.take(byOne)
      }
      yield* Effect.promise(() => execute(url, "notify gatewarden_changes"))
      yield* Queue.take(byOne)
      yield* Queue.take(byOther)
      // Each was taken once for each that the other sent: what it had heard of its own would be left.
      assert.deepStrictEqual([yield* Queue.size(byOne), yield* Queue.size(byOther)], [0, 0])
    })
  )

  it.live("become one when there are many, and are made before their process ends", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      const raw = yield* PgConnection.make({ url: Redacted.make(url) })
      const sent = yield* raw.listen("gatewarden_changes")
      const busy = Effect.scoped(
        Effect.flatMap(join(url), ({ announce }) => Effect.forEach(Array.from({ length: 1_000 }), () => announce))
      )
      yield* busy
      // One in flight and one that waits.
      const { length } = yield* Queue.takeAll(sent)
      assert.isAtMost(length, 2)
      assert.strictEqual(yield* Queue.size(sent), 0)
    })
  )

  it.live("are heard again after the session was ended, and what was missed meanwhile is asked for", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      const [one, other] = [yield* join(url), yield* join(url)]
      const heard = yield* hearing(one)
      for (let round = 0; round < 3; round++) {
        const ended = yield* Effect.promise(() => execute(url, `select pg_terminate_backend(pid) ${listeners}`))
        assert.lengthOf(ended, 1)
        yield* Queue.take(heard)
        yield* other.announce
        yield* Queue.take(heard)
      }
    })
  )

  it.live("have no session where they are switched off, and none after the end", () =>
    Effect.gen(function* () {
      const url = yield* newDatabase
      const scope = yield* Scope.make()
      const on = yield* Scope.provide(join(url), scope)
      const fiber = yield* Effect.forkChild(Effect.scoped(Effect.andThen(hearing(on), Effect.never)))
      const count = Effect.map(
        Effect.promise(() => execute(url, `select count(*)::int as count ${listeners}`)),
        ([row]) => row?.["count"]
      )
      yield* Effect.repeat(count, { until: (found) => found === 1 })
      yield* Fiber.interrupt(fiber)
      yield* Effect.repeat(count, { until: (found) => found === 0 })
      const off = yield* join(url, false)
      yield* off.announce
      yield* off.hear(Effect.die("heard"))
    })
  )

  it.live("that do not come are told of once, and looked for again", () => {
    const lines: unknown[] = []
    return Effect.gen(function* () {
      // Notifications do not leave their database: the session hears as little as one behind a pooler.
      const [url, elsewhere] = [yield* newDatabase, yield* newDatabase]
      const clients = yield* Layer.build(layerPostgres({ url: Redacted.make(url), notifications: false }))
      const attempts = yield* Queue.unbounded<void>()
      const connect = Effect.andThen(
        Queue.offer(attempts, undefined),
        PgConnection.make({ url: Redacted.make(elsewhere) })
      )
      const sql = Context.get(clients, SqlClient.SqlClient)
      const { announce, hear } = yield* makeChangeChannel({ sql, connect, id: "a", echoMillis: 5 })
      yield* Effect.forkScoped(hear(Effect.die("heard")))
      yield* announce
      for (let attempt = 0; attempt < 3; attempt++) yield* Queue.take(attempts)
      assert.lengthOf(lines, 1)
      assert.include(String(lines[0]), "within two seconds")
    }).pipe(Effect.provide(Logger.layer([Logger.make(({ message }) => void lines.push(message))])))
  })
})
