/** Who shares a call with whom: those that come while another is on its way, and nobody who stands in a transaction of his own. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { batched, batchedApart, type Turn } from "../../postgres/src/statements/coalesce.ts"
import { enclosedBy, unlessEnclosed } from "../../postgres/src/statements/statements.ts"

type Call = readonly [Turn, readonly string[]]

/** Answers each request with itself, once the first call may go on. */
const recording = Effect.gen(function* () {
  const calls: Call[] = []
  const gate = yield* Deferred.make<void>()
  const perform = (requests: readonly string[], turn: Turn) =>
    Effect.suspend(() => {
      const isFirst = calls.push([turn, requests]) === 1
      return Effect.as(isFirst ? Deferred.await(gate) : Effect.void, requests)
    })
  return { calls, perform, open: Deferred.succeed(gate, undefined) }
})

/** Nothing of it is used but that it is there. */
const client = {} as SqlClient.SqlClient

const timeout = new SqlError.SqlError({ reason: new SqlError.LockTimeoutError({ cause: undefined }) })

describe("batched work", () => {
  it.live("goes together but for whoever stands in a transaction", () =>
    Effect.gen(function* () {
      const { calls, perform, open } = yield* recording
      const ask = batched(perform)
      const first = yield* Effect.forkChild(ask("group", "a"), { startImmediately: true })
      const others = yield* Effect.forkChild(
        Effect.all([ask("group", "b"), ask("group", "c")], { concurrency: "unbounded" }),
        { startImmediately: true }
      )
      assert.strictEqual(yield* enclosedBy(client)(ask("group", "d")), "d")
      yield* open
      assert.strictEqual(yield* Fiber.join(first), "a")
      assert.deepStrictEqual(yield* Fiber.join(others), ["b", "c"])
      assert.deepStrictEqual(calls, [
        ["apart", ["a"]],
        ["enclosed", ["d"]],
        ["apart", ["b", "c"]]
      ])
    })
  )

  it.live("goes on by itself where the group has to wait", () =>
    Effect.gen(function* () {
      const calls: Call[] = []
      const ask = batchedApart((requests: readonly string[], turn) => {
        calls.push([turn, requests])
        return turn === "together" ? Effect.fail(timeout) : Effect.succeed(requests)
      })
      assert.strictEqual(yield* ask("group", "part", "a"), "a")
      assert.strictEqual(yield* enclosedBy(client)(ask("group", "part", "b")), "b")
      assert.deepStrictEqual(calls, [
        ["together", ["a"]],
        ["apart", ["a"]],
        ["enclosed", ["b"]]
      ])
    })
  )

  it.live("does nothing for others within a transaction", () =>
    Effect.gen(function* () {
      let done = 0
      const work = unlessEnclosed(Effect.sync(() => void (done += 1)))
      yield* enclosedBy(client)(work)
      assert.strictEqual(done, 0)
      yield* work
      assert.strictEqual(done, 1)
    })
  )
})
