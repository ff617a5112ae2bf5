/** Holds a store to how keys end: once, together with what takes their place, and never so that nobody is left in charge. */
import { type ApiKey, ApiKeys, type StorePorts, Workspaces } from "@gatewarden/core/store"
import { createAccount, isLive, newApiKey } from "@gatewarden/core/effect"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer } from "effect"
import { storeUnderTest } from "../stores/storeUnderTest.ts"

const now = Date.parse("2026-03-04T12:00:00.000Z")

const at = (minutes: number): string => new Date(now + minutes * 60_000).toISOString()

const ended = { now: at(0), at: at(0), successor: undefined, force: false }

/** An account whose management keys are the ones that a test makes. */
const prepare = Effect.gen(function* () {
  const made = yield* createAccount(`account ${crypto.randomUUID()}`)
  if (made === undefined) return yield* Effect.die(new Error("account exists"))
  const keys = yield* ApiKeys
  const account_id = made.account.id
  for (const { hash } of yield* keys.list(account_id, {})) yield* keys.remove(account_id, hash, at(0))
  const fresh = (fields: Partial<ApiKey> = {}) =>
    Effect.map(
      newApiKey({ kind: "management", account_id, workspace_id: null, name: "key", ...fields }),
      ({ record }) => record
    )
  const make = (fields: Partial<ApiKey> = {}) => Effect.tap(fresh(fields), (record) => keys.insert(record))
  const find = (hash: string) =>
    Effect.map(keys.authenticate(hash), (found) => (typeof found === "string" ? undefined : found))
  return { keys, account_id, workspace_id: made.workspace.id, fresh, make, find }
})

export const apiKeysSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`API keys: ${name}`, () => {
    const run = storeUnderTest(makeStore, now)
    const test = (title: string, body: Effect.Effect<void, unknown, StorePorts>) => it(title, () => run(body))

    test(
      "ends a key, which can then neither be used nor inserted again, and no other account's",
      Effect.gen(function* () {
        const { keys, account_id, workspace_id, make, find } = yield* prepare
        const other = yield* prepare
        const key = yield* make({ kind: "normal", workspace_id })
        assert.strictEqual(yield* keys.retire(other.account_id, key.hash, ended), "absent")
        assert.strictEqual(yield* keys.retire(account_id, "f".repeat(64), ended), "absent")
        assert.strictEqual((yield* find(key.hash))?.expires_at, null)
        assert.strictEqual(yield* keys.retire(account_id, key.hash, ended), "retired")
        const ends = { expires_at: at(0), revoked_at: at(0), updated_at: at(0), disabled: false }
        assert.deepInclude(yield* find(key.hash), ends)
        const [listed] = yield* keys.list(account_id, { hashes: [key.hash] })
        assert.isFalse(listed === undefined || isLive(listed, at(0)))
        assert.isFalse(yield* keys.insert(key))
      })
    )

    test(
      "never gives a key a later end than it has",
      Effect.gen(function* () {
        const { keys, account_id, workspace_id, make, find } = yield* prepare
        const key = yield* make({ kind: "normal", workspace_id, expires_at: at(10) })
        yield* keys.retire(account_id, key.hash, { ...ended, at: at(20) })
        assert.deepInclude(yield* find(key.hash), { expires_at: at(10), revoked_at: null })
        yield* keys.retire(account_id, key.hash, { ...ended, at: at(5) })
        assert.deepInclude(yield* find(key.hash), { expires_at: at(5), revoked_at: at(5) })
        yield* keys.retire(account_id, key.hash, { ...ended, at: at(7) })
        assert.deepInclude(yield* find(key.hash), { expires_at: at(5), revoked_at: at(5) })
      })
    )

    test(
      "tells a key that was deleted from one that never was, also with its workspace, and knows it again once it is back",
      Effect.gen(function* () {
        const { keys, account_id, workspace_id, make } = yield* prepare
        const other = yield* prepare
        const [alone, along] = [yield* make(), yield* make({ kind: "normal", workspace_id })]
        assert.isFalse(yield* keys.remove(other.account_id, alone.hash, at(0)))
        assert.isTrue(yield* keys.remove(account_id, alone.hash, at(0)))
        assert.strictEqual(
          yield* (yield* Workspaces).remove(account_id, workspace_id, { force: true, now: at(0) }),
          "removed"
        )
        for (const { hash } of [alone, along]) assert.strictEqual(yield* keys.authenticate(hash), "deleted")
        assert.strictEqual(yield* keys.authenticate("d".repeat(64)), "unknown")
        assert.isTrue(yield* keys.insert(alone))
        assert.deepInclude(yield* keys.authenticate(alone.hash), { ...alone, is_suspended: false })
      })
    )

    test(
      "puts a successor in a key's place",
      Effect.gen(function* () {
        const { keys, account_id, fresh, make, find } = yield* prepare
        const key = yield* make()
        const successor = yield* fresh()
        assert.strictEqual(yield* keys.retire(account_id, "e".repeat(64), { ...ended, successor }), "absent")
        assert.isUndefined(yield* find(successor.hash))
        assert.strictEqual(yield* keys.retire(account_id, key.hash, { ...ended, at: at(60), successor }), "retired")
        assert.strictEqual((yield* find(key.hash))?.expires_at, at(60))
        assert.deepInclude(yield* find(successor.hash), { ...successor })
      })
    )

    test(
      "keeps the last management key, unless it is forced",
      Effect.gen(function* () {
        const { keys, account_id, workspace_id, make, find } = yield* prepare
        yield* (yield* prepare).make()
        const key = yield* make()
        yield* make({ kind: "normal", workspace_id })
        yield* make({ disabled: true })
        yield* make({ expires_at: at(0) })
        const brief = yield* make({ expires_at: at(30) })
        assert.strictEqual(yield* keys.retire(account_id, key.hash, ended), "last")
        assert.strictEqual((yield* find(key.hash))?.expires_at, null)
        assert.strictEqual(yield* keys.retire(account_id, brief.hash, ended), "retired")
        assert.strictEqual(yield* keys.retire(account_id, key.hash, { ...ended, force: true }), "retired")
        assert.strictEqual((yield* find(key.hash))?.expires_at, at(0))
        const first = yield* make()
        yield* make()
        assert.strictEqual(yield* keys.retire(account_id, first.hash, ended), "retired")
      })
    )

    test(
      "leaves one of many that are ended at the same time",
      Effect.gen(function* () {
        const { keys, account_id, make } = yield* prepare
        const made = yield* Effect.forEach(Array.from({ length: 6 }), () => make())
        const outcomes = yield* Effect.forEach(made, ({ hash }) => keys.retire(account_id, hash, ended), {
          concurrency: "unbounded"
        })
        assert.deepStrictEqual(outcomes.toSorted(), ["last", "retired", "retired", "retired", "retired", "retired"])
      })
    )
  })
}
