/** What is kept of deleted keys has the bounds of a database: the last 10,000 of each account, 90 days, and the variable of retention. */
import { storeUnderTest } from "@gatewarden/conformance/internal/stores/storeUnderTest"
import { layerMemory } from "@gatewarden/core/effect"
import { ApiKeys, Retention, createAccount, newApiKey } from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"

const day = 86_400_000

describe("deleted keys of the memory store", () => {
  const clock = { now: Date.parse("2026-03-04T12:00:00.000Z") }
  const run = storeUnderTest(() => layerMemory, clock)

  const prepare = Effect.gen(function* () {
    const keys = yield* ApiKeys
    const made = yield* createAccount(`account ${crypto.randomUUID()}`)
    if (made === undefined) return assert.fail("account exists")
    const account_id = made.account.id
    const { record } = yield* newApiKey({ kind: "management", account_id, workspace_id: null, name: "key" })
    const remove = Effect.fnUntraced(function* (hash: string) {
      yield* keys.insert({ ...record, hash })
      yield* keys.remove(account_id, hash, "")
    })
    return remove
  })
  const states = (...hashes: readonly string[]) =>
    Effect.flatMap(ApiKeys, (keys) => Effect.forEach(hashes, (hash) => keys.authenticate(hash)))

  it("leave room for those of other accounts", () =>
    run(
      Effect.gen(function* () {
        const [remove, removeOther] = [yield* prepare, yield* prepare]
        yield* removeOther("other")
        for (let number = 0; number < 10_001; number++) yield* remove(`${number}`)
        assert.deepEqual(yield* states("other", "0", "1", "10000"), ["deleted", "unknown", "deleted", "deleted"])
      })
    ))

  it("end with the first deletion after 90 days, or when background work finds them old", () =>
    run(
      Effect.gen(function* () {
        const [remove, removeOther] = [yield* prepare, yield* prepare]
        yield* remove("old")
        clock.now += 1
        yield* remove("young")
        clock.now += 90 * day
        yield* removeOther("new")
        assert.deepEqual(yield* states("old", "young", "new"), ["unknown", "deleted", "deleted"])
        const { sweep } = yield* Retention
        assert.strictEqual(yield* sweep("deleted_keys", 30 * 86_400, 1_000), 1)
        assert.deepEqual(yield* states("young", "new"), ["unknown", "deleted"])
      })
    ))
})
