import { operations } from "@gatewarden/contract"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { answerTurn, makeAnswerTurns } from "../../core/src/http/AnswerTurns.ts"
import { makeCatalogSlots } from "../../core/src/model/CatalogAnswers.ts"
import type { Turn } from "../../core/src/value/Turns.ts"

const operation = (id: string) => {
  const found = operations.find((each) => each.id === id)
  if (found === undefined) throw new Error(`no operation ${id}`)
  return found
}

/** How many of fifty turns come at once. */
const comeOf = <E>(turnOf: () => Turn<E> | undefined) =>
  Effect.gen(function* () {
    let come = 0
    for (let index = 0; index < 50; index++) {
      const turn = turnOf()
      if (turn === undefined) return Infinity
      yield* Effect.forkChild(
        Effect.map(turn.come, () => void come++),
        { startImmediately: true }
      )
    }
    return come
  })

const comeAtOnce = (turns: ReturnType<typeof makeAnswerTurns>, id: string, query: unknown, account_id: string) =>
  comeOf(() => answerTurn(turns, operation(id), query, account_id))

describe("turns of answers", () => {
  it.effect("are for long answers, four at once, and three of an account", () =>
    Effect.gen(function* () {
      const turns = makeAnswerTurns()
      assert.strictEqual(yield* comeAtOnce(turns, "listWorkspaceMembers", {}, "a"), Infinity)
      const come = []
      for (const account_id of ["a", "b", "c"]) come.push(yield* comeAtOnce(turns, "listGuardrails", {}, account_id))
      assert.deepEqual(come, [3, 1, 0])
    })
  )

  it.effect("are three of an account for what keys use, and far in their list as in any other", () =>
    Effect.gen(function* () {
      const turns = makeAnswerTurns()
      assert.strictEqual(yield* comeAtOnce(turns, "getCurrentKey", {}, "a"), 3)
      assert.strictEqual(yield* comeAtOnce(turns, "listKeys", { offset: 0 }, "a"), 0)
      assert.strictEqual(yield* comeAtOnce(turns, "getKey", {}, "b"), 3)
      assert.strictEqual(yield* comeAtOnce(turns, "listKeys", { offset: 1_000 }, "a"), 1)
    })
  )

  it.effect("are more for single entities, of which no account has all", () =>
    Effect.gen(function* () {
      const turns = makeAnswerTurns()
      const come = []
      for (const account_id of ["a", "b", "c", "d", "e"])
        come.push(yield* comeAtOnce(turns, "updateGuardrail", {}, account_id))
      assert.deepEqual(come, [24, 8, 0, 0, 0])
    })
  )

  it.effect("are two for pages far in a list, one of an account", () =>
    Effect.gen(function* () {
      const turns = makeAnswerTurns()
      assert.strictEqual(yield* comeAtOnce(turns, "listWorkspaceMembers", { offset: 999 }, "a"), Infinity)
      const come = []
      for (const account_id of ["a", "b", "c"])
        come.push(yield* comeAtOnce(turns, "listWorkspaceMembers", { offset: 1_000 }, account_id))
      assert.deepEqual(come, [1, 1, 0])
    })
  )

  it.effect("are two for answers of the catalog, one of an account", () =>
    Effect.gen(function* () {
      const { turnOf } = makeCatalogSlots()
      const come = []
      for (const account_id of ["a", "b", "c"]) come.push(yield* comeOf(() => turnOf(account_id)))
      assert.deepEqual(come, [1, 1, 0])
    })
  )

  it.effect("are one of an account for filters, and two in all", () =>
    Effect.gen(function* () {
      const turns = makeAnswerTurns()
      const query = { filter: 'userName eq "ann"' }
      const come = []
      for (const account_id of ["a", "b", "c"])
        come.push(yield* comeAtOnce(turns, "listDirectoryUsers", query, account_id))
      assert.deepEqual(come, [1, 1, 0])
      // Lists do not wait for them.
      assert.strictEqual(yield* comeAtOnce(turns, "listDirectoryUsers", {}, "a"), 3)
    })
  )

  it.effect("are one of an account for replays of dead letters, and two in all", () =>
    Effect.gen(function* () {
      const turns = makeAnswerTurns()
      const come = []
      for (const account_id of ["a", "b", "c"]) come.push(yield* comeAtOnce(turns, "replayDeadLetters", {}, account_id))
      assert.deepEqual(come, [1, 1, 0])
    })
  )

  it.effect("refuse one too many of an account with 503, and not those of others", () =>
    Effect.gen(function* () {
      const turns = makeAnswerTurns()
      const come = (account_id: string) =>
        answerTurn(turns, operation("getGuardrail"), {}, account_id)?.come ?? Effect.void
      for (let index = 0; index < 256; index++) yield* Effect.forkChild(come("a"), { startImmediately: true })
      assert.deepInclude(yield* Effect.flip(come("a")), { status: 503, reason: "answers_in_flight" })
      yield* come("b")
    })
  )

  it("are for no operation that calls others, or sends a stream", () => {
    for (const { id, success, ...rest } of operations)
      if ((success as { long?: true }).long === true) assert.isFalse("callsOut" in rest || "bytes" in success, id)
  })
})
