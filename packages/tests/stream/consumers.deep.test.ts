/** Consumers skip no fact that commits late, apply none twice, and go on in another process within 5 s when their holder is killed. */
import { PgConnection } from "@effect/sql-pg"
import { type BackgroundJob, runBackground, consume } from "@gatewarden/core/internal"
import { committedFacts, layerPostgres, layerStoreWith } from "@gatewarden/postgres/internal"
import { afterEach, assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { type ChildProcess, spawn } from "node:child_process"
import { fileURLToPath } from "node:url"
import { inject } from "vitest"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"

const consumer = fileURLToPath(new URL("../../testkit/dist/server/consumeFacts.js", import.meta.url))
const running: ChildProcess[] = []
afterEach(() => running.splice(0).forEach((child) => child.kill("SIGKILL")))

const start = (url: string, ...args: readonly string[]) => {
  const child = spawn(process.execPath, [consumer, url, ...args], { stdio: ["ignore", "pipe", "inherit"] })
  running.push(child)
  let stdout = ""
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text))
  return {
    says: (word: string) => eventually(word, async () => (stdout.includes(word) ? true : undefined)),
    kill: () => child.kill("SIGKILL")
  }
}

const tables = [
  "create table fact (seq bigserial primary key, xact xid8 not null default pg_current_xact_id(), body text not null)",
  "create index on fact (xact, seq)",
  "create table applied (seq bigserial primary key, body text not null)"
]

const storeOn = (url: string) => Layer.provideMerge(layerStoreWith({}), layerPostgres({ url: Redacted.make(url) }))

const applied = async (url: string): Promise<readonly string[]> =>
  (await execute(url, "select body from applied order by seq")).map(({ body }) => String(body))

const add = (...bodies: readonly string[]) =>
  `insert into fact (body) values ${bodies.map((body) => `('${body}')`).join(", ")}`

describe("consumers", () => {
  it(
    "apply facts in the order of their transactions, once, and skip none that commits late",
    { timeout: 120_000 },
    async () => {
      const url = await createMigratedDatabase(inject("postgres"))
      await execute(url, ...tables)
      const program = Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const job: BackgroundJob = {
          name: "facts",
          every: 0,
          fencedBy: "transaction",
          batch: consume(
            committedFacts<{ readonly body: string }>(sql, "fact"),
            (facts) =>
              Effect.orDie(
                Effect.forEach(facts, ({ body }) => sql`insert into applied (body) values (${body})`, { discard: true })
              ),
            2
          )
        }
        const run = runBackground([job])
        // A transaction that is open in another database of the server holds facts back, too.
        const runUntilApplied = Effect.fnUntraced(function* (...bodies: readonly string[]) {
          for (;;) {
            yield* run
            const done = yield* Effect.promise(() => applied(url))
            if (done.length >= bodies.length) return assert.deepEqual(done, bodies)
            yield* Effect.sleep(10)
          }
        })
        const late = yield* PgConnection.make({ url: Redacted.make(url) })
        yield* Effect.promise(() => execute(url, add("a", "b", "c")))
        yield* runUntilApplied("a", "b", "c")
        yield* late.query("begin")
        yield* late.query(add("late"))
        yield* Effect.promise(() => execute(url, add("d"), add("e")))
        yield* run
        assert.deepEqual(yield* Effect.promise(() => applied(url)), ["a", "b", "c"])
        yield* late.query("commit")
        yield* runUntilApplied("a", "b", "c", "late", "d", "e")
      })
      await Effect.runPromise(Effect.scoped(Effect.provide(program, storeOn(url))))
    }
  )

  it("are taken over within 5 s of a kill -9 in the middle of a batch", { timeout: 120_000 }, async () => {
    const url = await createMigratedDatabase(inject("postgres"))
    await Effect.runPromise(Effect.scoped(Effect.provide(Effect.void, storeOn(url))))
    await execute(url, ...tables)
    const first = start(url, "hang")
    await first.says("ready")
    await execute(url, add("a", "b", "c"), add("d", "hang", "e"))
    await first.says("hanging")
    const second = start(url)
    await second.says("ready")
    // The holder lives: nobody takes its job, however long its batch takes.
    const [held] = await execute(url, "select token::int as token from gatewarden_background_job where job = 'facts'")
    const killed = performance.now()
    first.kill()
    await eventually("all facts to be applied", async () => ((await applied(url)).length >= 6 ? true : undefined))
    assert.isBelow(performance.now() - killed, 5_000)
    await execute(url, add("f"))
    await eventually("the next fact", async () => ((await applied(url)).length >= 7 ? true : undefined))
    assert.deepEqual(await applied(url), ["a", "b", "c", "d", "hang", "e", "f"])
    const [taken] = await execute(url, "select token::int as token from gatewarden_background_job where job = 'facts'")
    assert.isAbove(Number(taken?.token), Number(held?.token))
  })
})
