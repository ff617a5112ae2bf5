/**
 * A process that consumes the table `fact` into `applied`, for tests that kill it: `consumeFacts.js URL [hang]`.
 *
 * With `hang` a fact whose body is `hang` keeps the transaction of its holder open for ever. It prints `ready`, then `hanging`.
 */
import { type BackgroundJob, keepRunning, consume } from "@gatewarden/core/internal"
import { committedFacts, layerPostgres, layerStoreWith } from "@gatewarden/postgres/internal"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"

const [url = "", mode] = process.argv.slice(2)

const program = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const apply = Effect.fnUntraced(function* (facts: readonly { readonly body: string }[]) {
    for (const { body } of facts) {
      yield* sql`insert into applied (body) values (${body})`
      if (body !== "hang" || mode !== "hang") continue
      process.stdout.write("hanging\n")
      yield* Effect.never
    }
  })
  const job: BackgroundJob = {
    name: "facts",
    every: 0.2,
    fencedBy: "transaction",
    batch: consume(committedFacts<{ readonly body: string }>(sql, "fact"), (facts) => Effect.orDie(apply(facts)), 3)
  }
  process.stdout.write("ready\n")
  // The timers of background work keep no process alive.
  const alive = setInterval(() => {}, 1_000)
  yield* Effect.ensuring(
    keepRunning([job]),
    Effect.sync(() => clearInterval(alive))
  )
})

const store = Layer.provideMerge(layerStoreWith({}), layerPostgres({ url: Redacted.make(url) }))

await Effect.runPromise(Effect.scoped(Effect.provide(program, store)))
