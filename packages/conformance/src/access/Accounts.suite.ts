/** Holds a store to what a start relies on: accounts that are found by name, made whole or not at all, and once. */
import {
  Accounts,
  ApiKeys,
  defaultAccountName,
  StoreHealth,
  type StorePorts,
  Workspaces,
  createAccount,
  ensureDefaultAccount,
  newApiKey
} from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { storeUnderTest } from "../stores/storeUnderTest.ts"

const now = Date.parse("2026-03-04T12:00:00.000Z")
const at = new Date(now).toISOString()

const freshName = () => `account ${crypto.randomUUID()}`

const make = Effect.fnUntraced(function* (name: string) {
  return (yield* createAccount(name)) ?? assert.fail(`${name} is taken`)
})

const managementKeysOf = (account_id: string) =>
  Effect.flatMap(ApiKeys, (keys) => keys.list(account_id, { kind: "management" }))

export const accountsSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`Accounts: ${name}`, () => {
    const run = storeUnderTest(makeStore, now)

    it("are found by their names, with the default workspace while it is there", () =>
      run(
        Effect.gen(function* () {
          const accounts = yield* Accounts
          const { account, workspace } = yield* make(freshName())
          const other = yield* make(account.name.toUpperCase())
          const found = { ...account, default_workspace_id: workspace.id }
          assert.deepEqual(yield* accounts.findByName(account.name), Option.some(found))
          assert.deepEqual(yield* accounts.findByName(freshName()), Option.none())
          assert.includeDeepMembers([...(yield* accounts.list)], [account, other.account])
          yield* (yield* Workspaces).remove(account.id, workspace.id, { force: true, now: at })
          assert.deepEqual(
            yield* accounts.findByName(account.name),
            Option.some({ ...account, default_workspace_id: null })
          )
        })
      ))

    it("have a name of their own, and leave nothing of one whose name was taken", () =>
      run(
        Effect.gen(function* () {
          const { account, workspace } = yield* make(freshName())
          const id = crypto.randomUUID()
          const place = { ...workspace, id: crypto.randomUUID(), default_guardrail_id: crypto.randomUUID() }
          const owner = { kind: "management", workspace_id: null, name: "management" } as const
          const { record } = yield* newApiKey({ ...owner, account_id: id })
          const keys = yield* managementKeysOf(account.id)
          assert.isFalse(yield* (yield* Accounts).create({ ...account, id }, place, record))
          assert.strictEqual(yield* (yield* ApiKeys).authenticate(record.hash), "unknown")
          assert.deepEqual(yield* managementKeysOf(account.id), keys)
          for (const owning of [id, account.id])
            assert.deepEqual(yield* (yield* Workspaces).find(owning, place.id), Option.none())
        })
      ))

    it("of one name are made once, however many make them at once", () =>
      run(
        Effect.gen(function* () {
          const wanted = freshName()
          const made = yield* Effect.forEach(Array.from({ length: 8 }), () => createAccount(wanted), {
            concurrency: "unbounded"
          })
          const [one, ...rest] = made.filter((each) => each !== undefined)
          assert.deepEqual([one?.account.name, rest], [wanted, []])
          const named = (yield* (yield* Accounts).list).filter((each) => each.name === wanted)
          assert.deepEqual([...named], one === undefined ? [] : [one.account])
        })
      ))

    it("are there for each start: the first makes the default one and its key, another finds them", () =>
      run(
        Effect.gen(function* () {
          yield* (yield* StoreHealth).ping
          const starts = yield* Effect.forEach(Array.from({ length: 2 }), () => ensureDefaultAccount())
          assert.deepEqual(
            starts.map((key) => key === undefined),
            [false, true]
          )
          const found = yield* (yield* Accounts).findByName(defaultAccountName)
          const { id } = Option.getOrElse(found, () => assert.fail("no default account"))
          const { key, record } = yield* newApiKey({
            kind: "management",
            account_id: id,
            workspace_id: null,
            name: "given"
          })
          for (const _ of starts) assert.isUndefined(yield* ensureDefaultAccount(key))
          const hashes = (yield* managementKeysOf(id)).map(({ hash }) => hash)
          assert.strictEqual(hashes.length, 2)
          assert.include(hashes, record.hash)
        })
      ))
  })
}
