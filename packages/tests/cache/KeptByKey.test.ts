/** What is remembered of keys that are found by their secrets: a table of keys, a log of changes and a clock by hand. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect } from "effect"
import { byHand } from "@gatewarden/conformance/internal/HandClock"
import { makeFreshness } from "../../core/src/cache/Freshness.ts"
import { makeKeptByKey } from "../../core/src/cache/KeptByKey.ts"
import { makeValidatedCache } from "../../core/src/cache/ValidatedCache.ts"
import { type Change, type Changes, ChangeLog } from "../../core/src/ports/changeLog.ts"
import { type KeySecret, mostLiveSecrets } from "../../core/src/ports/keys.ts"
import { rotatedSecrets } from "../../core/src/access/secretsOfKey.ts"

interface Row {
  readonly hash: string
  readonly name: string
  readonly secrets: readonly KeySecret[]
}

const changed = (id: string): Change => ({ account_id: "acme", noun: "key", id, workspace_id: null })

/** A process that reads keys of a store that others change. */
const world = () => {
  const state = { now: 1_000_000, changes: [] as Changes, asked: [] as string[] }
  const rows = new Map<string, Row>()
  /** By secret. */
  const keyOf = new Map<string, string>()
  const held: Deferred.Deferred<void>[] = []
  const log = ChangeLog.of({
    since: (position) =>
      Effect.sync(() => {
        const changes = position === undefined ? "everything" : state.changes
        state.changes = []
        return { position: "1", changes }
      }),
    announce: Effect.void,
    hear: () => Effect.never
  })
  const freshness = makeFreshness(Effect.runFork)
  const cache = makeValidatedCache<Row>(freshness, 100)
  freshness.onChange((changes) => {
    if (changes === "everything") return cache.clear()
    for (const { id } of changes) cache.forget(id)
  })
  const bySecret = makeKeptByKey(cache, (row) => row)
  const lookUp = (hash: string) =>
    Effect.suspend(() => {
      state.asked.push(hash)
      const row = rows.get(keyOf.get(hash) ?? hash)
      const found = row === undefined ? undefined : { ...row, secrets: row.secrets.slice(-mostLiveSecrets) }
      const wait = held.shift()
      const answer = found === undefined ? Effect.fail("unknown" as const) : Effect.succeed(found)
      return wait === undefined ? answer : Effect.andThen(Deferred.await(wait), answer)
    })
  const get = (hash: string): Promise<Row | "unknown"> =>
    Effect.runPromise(
      Effect.catch(bySecret.get(hash, lookUp), (absent) => Effect.succeed(absent)).pipe(
        Effect.provideService(ChangeLog, log),
        byHand(state)
      )
    )
  /** Another process rotates the key; this one is not told. */
  const rotate = (hash: string, secret: string) => {
    const row = rows.get(hash) as Row
    const known = row.secrets.length === 0 ? [{ hash, ends_at: null }] : row.secrets
    keyOf.set(secret, hash)
    const secrets = rotatedSecrets(known, secret, state.now, state.now + 60_000)
    rows.set(hash, { ...row, secrets: secrets.map((one) => ({ ...one, has_ended: false })) })
  }
  const put = (hash: string, name = hash) => rows.set(hash, { hash, name, secrets: [] })
  /** The process reads the log again. */
  const tell = (...ids: readonly string[]) => {
    state.changes = ids.map(changed)
    state.now += 2_000
  }
  return { state, rows, keyOf, held, bySecret, get, rotate, put, tell }
}

describe("what is kept of keys", () => {
  it("is found with every secret, and looked up once by each", async () => {
    const { state, get, put, rotate, bySecret } = world()
    put("key")
    rotate("key", "second")
    rotate("key", "third")
    for (const hash of ["key", "second", "third"]) assert.include(await get(hash), { hash: "key" })
    state.asked = []
    for (let time = 0; time < 3; time++)
      for (const hash of ["key", "second", "third"]) assert.include(await get(hash), { hash: "key" })
    assert.deepEqual(state.asked, [])
    assert.include(bySecret.kept("third", state.now), { hash: "key" })
  })

  it("has a new secret at once, also on a process that keeps the key from before and was not told", async () => {
    const { get, put, rotate, bySecret, state } = world()
    put("key")
    await get("key")
    rotate("key", "second")
    assert.deepEqual(
      ((await get("second")) as Row).secrets.map(({ hash }) => hash),
      ["key", "second"]
    )
    // From now on the former secret has its end here, too.
    assert.strictEqual(((await get("key")) as Row).secrets[0]?.ends_at, state.now + 60_000)
    assert.isDefined(bySecret.kept("second", state.now))
  })

  it("goes with a change of the key, whichever secret it was found with", async () => {
    const { get, put, rotate, rows, tell } = world()
    put("key", "before")
    rotate("key", "second")
    for (const hash of ["key", "second", "second"]) assert.include(await get(hash), { name: "before" })
    rows.set("key", { ...(rows.get("key") as Row), name: "after" })
    assert.include(await get("second"), { name: "before" })
    tell("key")
    for (const hash of ["second", "key"]) assert.include(await get(hash), { name: "after" })
  })

  it("is not what a look-up found that a change overtook", async () => {
    const { get, put, rotate, rows, tell, held } = world()
    put("key", "before")
    rotate("key", "second")
    await get("second")
    tell("key")
    const gate = Deferred.makeUnsafe<void>()
    held.push(gate)
    const slow = get("second")
    rows.set("key", { ...(rows.get("key") as Row), name: "after" })
    tell("key")
    assert.include(await get("key"), { name: "after" })
    Effect.runSync(Deferred.succeed(gate, undefined))
    await slow
    assert.include(await get("second"), { name: "after" })
  })

  it("forgets whose a secret was once the key is gone, and takes its hash for another key's", async () => {
    const { get, put, rotate, rows, keyOf, tell } = world()
    put("key")
    rotate("key", "second")
    await get("second")
    await get("second")
    rows.delete("key")
    keyOf.delete("second")
    tell("key")
    assert.strictEqual(await get("second"), "unknown")
    put("second", "theirs")
    assert.include(await get("second"), { hash: "second", name: "theirs" })
  })

  it("drops no entry for a secret that ended long ago", async () => {
    const { state, get, put, rotate } = world()
    put("key")
    for (const secret of ["second", "third", "fourth", "fifth"]) rotate("key", secret)
    await get("fifth")
    await get("fifth")
    // The store knows whose the second was, and lists only the latest.
    assert.include(await get("second"), { hash: "key" })
    state.asked = []
    await get("fifth")
    assert.deepEqual(state.asked, [])
  })
})
