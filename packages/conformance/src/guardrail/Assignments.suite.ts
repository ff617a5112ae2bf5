/** Holds a store to one guardrail at most on each key and member, whatever is assigned, taken off and deleted at once. */
import {
  ApiKeys,
  Assignments,
  Guardrails,
  PolicySources,
  type StorePorts,
  unrestricted,
  WorkspaceMembers,
  createAccount,
  newApiKey,
  timestamp
} from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { storeUnderTest } from "../stores/storeUnderTest.ts"

const now = Date.parse("2026-03-04T12:00:00.000Z")

/** An account with so many guardrails, and keys of as many users. */
const prepare = Effect.fnUntraced(function* (guardrails: number, keys: number) {
  const made = yield* createAccount(`account ${crypto.randomUUID()}`)
  if (made === undefined) return yield* Effect.die(new Error("account exists"))
  const { account, workspace } = made
  const created_at = yield* timestamp
  const ids = Array.from({ length: guardrails }, () => crypto.randomUUID() as string)
  for (const id of ids)
    yield* (yield* Guardrails).insert(account.id, {
      id,
      workspace_id: workspace.id,
      name: "one",
      ...unrestricted,
      created_at,
      updated_at: null
    })
  const hashes: string[] = []
  for (let index = 0; index < keys; index++) {
    const { record } = yield* newApiKey({
      kind: "normal",
      account_id: account.id,
      workspace_id: workspace.id,
      name: "key",
      user_id: `user-${index}`
    })
    yield* (yield* ApiKeys).insert(record)
    hashes.push(record.hash)
  }
  return { account_id: account.id, workspace_id: workspace.id, guardrails: ids, hashes, created_at }
})

const named = (names: readonly string[]) => names.map((name) => ({ name, id: crypto.randomUUID() as string }))

export const assignmentsSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`Assignments: ${name}`, () => {
    const run = storeUnderTest(makeStore, now)

    it("never has two guardrails on one, however many write at once in whatever order", () =>
      run(
        Effect.gen(function* () {
          const { account_id, guardrails, hashes, created_at } = yield* prepare(8, 60)
          const port = yield* Assignments
          const how = { assigned_by: null, now: created_at }
          const users = hashes.map((_, index) => `user-${index}`)
          const [doomed = ""] = guardrails
          const work = guardrails.flatMap((guardrail, index) => {
            const turned = <T>(names: readonly T[]) => (index % 2 === 0 ? names : names.toReversed())
            return [
              // Each has ids of its own whenever it is run: one that meets itself must not name another row by the same id.
              Effect.suspend(() => port.assignKeys(account_id, guardrail, named(turned(hashes)), how)),
              port.unassignKeys(account_id, guardrail, turned(hashes).slice(0, 30)),
              Effect.suspend(() => port.assignMembers(account_id, guardrail, named(turned(users)), how)),
              port.unassignMembers(account_id, guardrail, turned(users).slice(0, 30))
            ]
          })
          const outcomes = yield* Effect.all(
            [...work, ...work.toReversed(), (yield* Guardrails).remove(account_id, doomed), ...work],
            { concurrency: "unbounded" }
          )
          assert.notInclude(outcomes, "unknown")
          assert.include(outcomes, "removed")
          const page = { limit: 100, offset: 0 }
          for (const listed of [
            yield* port.listKeys(account_id, {}, page),
            yield* port.listMembers(account_id, {}, page)
          ]) {
            const names = listed.data.map((item) => ("key_hash" in item ? item.key_hash : item.user_id))
            assert.strictEqual(new Set(names).size, names.length)
            assert.notInclude(
              listed.data.map((item) => item.guardrail_id),
              doomed
            )
          }
        })
      ))

    it("finds what is on a key and on its user, and no longer what was taken off", () =>
      run(
        Effect.gen(function* () {
          const { account_id, guardrails, hashes, created_at } = yield* prepare(2, 2)
          const [ofKey = "", ofMember = ""] = guardrails
          const [hash = "", other = ""] = hashes
          const port = yield* Assignments
          const how = { assigned_by: "user-9", now: created_at }
          const found = Effect.fnUntraced(function* (key: string) {
            const source = yield* (yield* PolicySources).of(account_id, key)
            return Option.isNone(source)
              ? []
              : source.value.guardrails.map(({ scope, guardrail }) => [scope, guardrail.id])
          })
          assert.strictEqual(yield* port.assignKeys(account_id, ofKey, named([hash]), how), "assigned")
          assert.strictEqual(yield* port.assignMembers(account_id, ofMember, named(["user-0"]), how), "assigned")
          assert.deepStrictEqual(yield* found(hash), [
            ["member", ofMember],
            ["key", ofKey]
          ])
          assert.deepStrictEqual(yield* found(other), [])
          assert.strictEqual(yield* port.unassignKeys(account_id, ofKey, [hash, other]), 1)
          assert.strictEqual(yield* (yield* Guardrails).remove(account_id, ofMember), "removed")
          assert.deepStrictEqual(yield* found(hash), [])
        })
      ))

    it("tells which guardrails apply beyond workspaces, and which keys have one of another", () =>
      run(
        Effect.gen(function* () {
          const { account_id, workspace_id, guardrails, hashes, created_at } = yield* prepare(2, 3)
          const stranger = yield* prepare(1, 1)
          const [one = "", two = ""] = guardrails
          const [first = "", second = "", third = ""] = hashes
          const elsewhere = crypto.randomUUID() as string
          const port = yield* Assignments
          const how = { assigned_by: null, now: created_at }
          const beyond = (workspaces: readonly string[], asked = account_id) =>
            Effect.all([
              port.appliesBeyond(asked, { guardrail_id: one }, workspaces),
              port.appliesBeyond(asked, { guardrail_id: two }, workspaces),
              port.appliesBeyond(asked, { workspace_id }, workspaces)
            ])
          const none = [undefined, undefined, undefined] as const
          assert.deepStrictEqual(yield* beyond([elsewhere]), [...none])
          yield* port.assignKeys(account_id, one, named([first, second]), how)
          assert.deepStrictEqual(yield* beyond([elsewhere, workspace_id]), [...none])
          assert.deepStrictEqual(yield* beyond([elsewhere]), ["keys", undefined, "keys"])
          assert.deepStrictEqual(yield* beyond([]), ["keys", undefined, "keys"])
          assert.deepStrictEqual(yield* beyond([], stranger.account_id), [...none])
          yield* port.assignMembers(account_id, two, named(["user-0"]), how)
          assert.deepStrictEqual(yield* beyond([workspace_id]), [undefined, "members", "members"])
          assert.deepStrictEqual(yield* beyond([elsewhere]), ["keys", "members", "members"])
          assert.deepStrictEqual(yield* beyond([workspace_id], stranger.account_id), [...none])

          const governed = (workspaces: readonly string[], asked = account_id) =>
            port.keysGovernedElsewhere(asked, [third, second, first, ...stranger.hashes], workspaces)
          assert.deepStrictEqual(yield* governed([workspace_id]), [])
          assert.deepStrictEqual(yield* governed([elsewhere]), [second, first])
          assert.deepStrictEqual(yield* governed([elsewhere], stranger.account_id), [])

          const page = { limit: 1, offset: 1 }
          for (const [workspaces, total] of [
            [[elsewhere, workspace_id], 2],
            [[elsewhere], 0],
            [[], 0]
          ] as const) {
            const listed = yield* port.listKeys(account_id, { guardrail_id: one, workspace_ids: workspaces }, page)
            assert.strictEqual(listed.total_count, total)
            assert.lengthOf(listed.data, Math.max(total - 1, 0))
            const users = yield* port.listMembers(account_id, { workspace_ids: workspaces }, { limit: 9, offset: 0 })
            assert.strictEqual(users.total_count, total / 2)
            assert.lengthOf(users.data, total / 2)
          }
        })
      ))

    it("makes each membership once, however many add it at once", () =>
      run(
        Effect.gen(function* () {
          const { account_id, workspace_id, created_at } = yield* prepare(0, 0)
          const members = yield* WorkspaceMembers
          const users = ["ann", "bob", "carol"]
          const drafts = Array.from({ length: 8 }, (_, index) =>
            (index % 2 === 0 ? users : users.toReversed()).map((user_id) => ({ user_id, id: crypto.randomUUID() }))
          )
          const answers = yield* Effect.forEach(
            drafts,
            (draft) => members.add(account_id, workspace_id, draft, created_at),
            { concurrency: "unbounded" }
          )
          for (const answer of answers) assert.deepStrictEqual(answer, answers[0])
          const { data } = yield* members.list(account_id, workspace_id, { limit: 100, offset: 0 })
          assert.deepStrictEqual(data, answers[0])
        })
      ))
  })
}
