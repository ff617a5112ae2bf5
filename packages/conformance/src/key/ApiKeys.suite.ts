/** Holds a store to how keys end: once, together with what takes their place, and never so that nobody is left in charge. */
import {
  type ApiKey,
  ApiKeys,
  endOfSecret,
  mostFormerSecrets,
  mostKnownSecrets,
  type StorePorts,
  UsageLog,
  Workspaces,
  createAccount,
  isLive,
  newApiKey
} from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, type Layer, Option } from "effect"
import { randomLives, secretsThatOpen } from "./rotatedLives.ts"
import { byDatabase, type HandClock } from "../HandClock.ts"
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
  const normal = (fields: Partial<ApiKey> = {}) => make({ kind: "normal", workspace_id: made.workspace.id, ...fields })
  /** Whether each of the secrets opens a key at an instant. */
  const opens = (hashes: readonly string[], millis: number) =>
    Effect.forEach(hashes, (hash) =>
      Effect.map(find(hash), (key) => {
        if (key === undefined || !isLive(key, new Date(millis).toISOString())) return false
        return endOfSecret(key, hash, millis) === undefined
      })
    )
  return { keys, account_id, workspace_id: made.workspace.id, fresh, make, normal, find, opens }
})

/** A secret of no key yet. */
const freshHash = (): string => (crypto.randomUUID() + crypto.randomUUID()).replaceAll("-", "")

const clock: HandClock = { now }

/** Turns the clock to `millis`. */
const rotation = (secret_hash: string, millis: number, overlap_millis: number | null) => {
  clock.now = millis
  return {
    secret_hash,
    label: `label of ${secret_hash.slice(0, 6)}`,
    now: new Date(millis).toISOString(),
    overlap_millis
  }
}

export const apiKeysSuite = (name: string, makeStore: () => Layer.Layer<StorePorts, unknown>): void => {
  describe(`API keys: ${name}`, () => {
    const run = storeUnderTest(makeStore, clock)
    const test = (title: string, body: Effect.Effect<void, unknown, StorePorts>) =>
      it(title, () => {
        clock.now = now
        return run(body)
      })

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

    test(
      "finds a key by each of its secrets, in every port that is asked with one, and answers the key's own hash",
      Effect.gen(function* () {
        const { keys, account_id, normal, find } = yield* prepare
        const key = yield* normal({ user_id: "ann" })
        const [second, third] = [freshHash(), freshHash()]
        assert.deepEqual((yield* find(key.hash))?.secrets, [])
        const rotated = yield* keys.rotate(account_id, key.hash, rotation(second, now, 60_000))
        const record = { ...key, label: `label of ${second.slice(0, 6)}`, updated_at: at(0) }
        assert.deepEqual(rotated, Option.some({ record, overlap_ends_at: at(1) }))
        yield* keys.rotate(account_id, key.hash, rotation(third, now + 1, 0))
        for (const hash of [key.hash, second, third]) {
          assert.deepInclude(yield* find(hash), {
            hash: key.hash,
            secrets: [
              { hash: key.hash, ends_at: now + 1, has_ended: true },
              { hash: second, ends_at: now + 1, has_ended: true },
              { hash: third, ends_at: null, has_ended: false }
            ]
          })
          const owners = yield* (yield* UsageLog).keysOf(undefined, [hash, "f".repeat(64)])
          assert.deepEqual([...owners.keys()], [hash])
          assert.deepInclude(owners.get(hash), { hash: key.hash, account_id, user_id: "ann" })
        }
        // Operations on keys name the key, never a secret of it.
        assert.deepEqual(yield* keys.list(account_id, { hashes: [second, third] }), [])
        assert.isTrue(Option.isNone(yield* keys.update(account_id, third, { name: "other" }, at(0))))
        assert.isTrue(Option.isNone(yield* keys.rotate(account_id, third, rotation(freshHash(), now, 0))))
        assert.isFalse(yield* keys.remove(account_id, third, at(0)))
      })
    )

    test(
      "rotates no management key and no key that is gone, and lets nobody take a secret for a key",
      Effect.gen(function* () {
        const { keys, account_id, workspace_id, normal, make, fresh, find } = yield* prepare
        const secret = freshHash()
        const management = yield* make()
        for (const hash of [management.hash, "e".repeat(64)])
          assert.isTrue(Option.isNone(yield* keys.rotate(account_id, hash, rotation(secret, now, 0))))
        assert.isUndefined(yield* find(secret))
        const key = yield* normal()
        yield* keys.rotate(account_id, key.hash, rotation(secret, now, 0))
        const other = { ...(yield* fresh({ kind: "normal", workspace_id })), hash: secret }
        assert.isFalse(yield* keys.insert(other))
        assert.isTrue(yield* keys.remove(account_id, key.hash, at(0)))
        assert.strictEqual(yield* keys.authenticate(secret), "deleted")
        // The key is back as it was made; its later secrets are not.
        assert.isTrue(yield* keys.insert(key))
        assert.deepEqual((yield* find(key.hash))?.secrets, [])
        assert.strictEqual(yield* keys.authenticate(secret), "deleted")
      })
    )

    test(
      "leaves one newest secret of many rotations at the same time, and as many former ones as may be",
      Effect.gen(function* () {
        const { keys, account_id, normal, find, opens } = yield* prepare
        const key = yield* normal()
        const made = Array.from({ length: 8 }, freshHash)
        const rotated = yield* Effect.forEach(
          made,
          (secret) => keys.rotate(account_id, key.hash, rotation(secret, now, 60_000)),
          { concurrency: "unbounded" }
        )
        assert.isTrue(rotated.every(Option.isSome))
        const open = yield* opens([key.hash, ...made], now)
        assert.strictEqual(open.filter(Boolean).length, 1 + mostFormerSecrets)
        const { secrets = [], label } = (yield* find(key.hash)) ?? {}
        assert.deepEqual(
          secrets.map(({ ends_at }) => ends_at),
          [now + 60_000, now + 60_000, null]
        )
        assert.strictEqual(label, `label of ${secrets.at(-1)?.hash.slice(0, 6)}`)
        const later = yield* opens([key.hash, ...made], now + 60_000)
        assert.strictEqual(later.filter(Boolean).length, 1)
      })
    )

    test(
      "remembers so many secrets of a key, and opens it with none that it has forgotten",
      Effect.gen(function* () {
        const { keys, account_id, normal, find, opens } = yield* prepare
        const key = yield* normal()
        const made = Array.from({ length: mostKnownSecrets }, freshHash)
        for (const secret of made) yield* keys.rotate(account_id, key.hash, rotation(secret, now, 0))
        assert.deepEqual(yield* opens([key.hash, ...made], now), [
          false,
          ...made.map((_, place) => place === made.length - 1)
        ])
        assert.strictEqual((yield* find(made[0] ?? ""))?.hash, key.hash)
        yield* keys.rotate(account_id, key.hash, rotation(freshHash(), now, 0))
        assert.strictEqual(yield* keys.authenticate(made[0] ?? ""), "unknown")
        assert.strictEqual((yield* find(made[1] ?? ""))?.hash, key.hash)
      })
    )

    if (name !== "memory")
      test(
        "ends former secrets by the database's clock, at once if the overlap is 0, whatever the clock of a process says",
        Effect.gen(function* () {
          const day = 86_400_000
          const { keys, account_id, normal, opens } = yield* prepare
          for (const rotating of [day, -day]) {
            const key = yield* normal()
            const [second, third] = [freshHash(), freshHash()]
            const rotate = (secret: string, overlapMillis: number) =>
              keys.rotate(account_id, key.hash, rotation(secret, Date.now() + rotating, overlapMillis))
            const { overlap_ends_at } = Option.getOrThrow(yield* rotate(second, 3_600_000))
            assert.isBelow(Math.abs(Date.parse(overlap_ends_at ?? "") - Date.now() - 3_600_000), 600_000)
            assert.deepEqual(yield* opens([key.hash, second], Date.now()), [true, true])
            yield* rotate(third, 0)
            for (const reading of [-day, 0, day])
              assert.deepEqual(yield* opens([key.hash, second, third], Date.now() + reading), [false, false, true])
          }
        }).pipe(byDatabase)
      )

    test(
      "opens a key with exactly the secrets that the rule names, whatever happens to it in which order",
      Effect.gen(function* () {
        const { keys, account_id, normal, opens } = yield* prepare
        for (const life of randomLives()) {
          const key = yield* normal()
          const secrets = [key.hash]
          for (const [place, { what, millis, overlapMillis }] of life.entries()) {
            const instant = new Date(now + millis).toISOString()
            if (what === "rotate") {
              const secret = freshHash()
              const rotated = yield* keys.rotate(account_id, key.hash, rotation(secret, now + millis, overlapMillis))
              if (Option.isSome(rotated)) secrets.push(secret)
            } else if (what === "disable" || what === "enable")
              yield* keys.update(account_id, key.hash, { disabled: what === "disable" }, instant)
            else if (what === "expire")
              yield* keys.retire(account_id, key.hash, {
                ...ended,
                now: instant,
                at: new Date(now + millis + overlapMillis).toISOString()
              })
            else if (what === "delete") yield* keys.remove(account_id, key.hash, instant)
            // Each edge that is due before the next event, and a millisecond before it.
            const next = life[place + 1]?.millis ?? millis + 200_000
            for (const { at: edge, open } of secretsThatOpen(life.slice(0, place + 1), next))
              assert.deepEqual(
                yield* opens(secrets, now + edge),
                open,
                JSON.stringify({ life: life.slice(0, place + 1), edge })
              )
          }
        }
      })
    )
  })
}
