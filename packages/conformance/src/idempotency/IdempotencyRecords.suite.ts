/** Holds a store to doing work once: claims, what is kept together with the work, and what becomes of a holder that is too slow. */
import { requireOptions } from "@gatewarden/contract/internal"
import {
  ApiKeys,
  type IdempotencyAnswer,
  idempotencyLifetimeMillis,
  IdempotencyRecords,
  type IdempotencyScope,
  StoredAmounts,
  type StorePorts,
  createAccount,
  newApiKey
} from "@gatewarden/core/internal"
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, type Layer, Option } from "effect"
import { byDatabase, type HandClock } from "../HandClock.ts"
import { storeUnderTest } from "../stores/storeUnderTest.ts"

const now = Date.parse("2026-03-04T12:00:00.000Z")
const leaseMillis = 5_000
const lease = now + leaseMillis

/** All records of a test are kept by it. */
const clock: HandClock = { now }

const kept: IdempotencyAnswer = { body_hash: "b".repeat(64), status: 200, sealed: Uint8Array.of(1, 2, 3) }
const done = { kept }

const [first, second] = ["11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"] as const

/** A scope that nothing else uses, in an account that can have keys: each key that was made is a trace of work. */
const prepare = Effect.gen(function* () {
  const made = yield* createAccount(`account ${crypto.randomUUID()}`)
  if (made === undefined) return yield* Effect.die(new Error("account exists"))
  const keys = yield* ApiKeys
  const records = yield* IdempotencyRecords
  const account_id = made.account.id
  const scope = { account_id, key_hash: "a".repeat(64), request_hash: "c".repeat(64) }
  const newKey = Effect.map(
    newApiKey({ kind: "normal", account_id, workspace_id: made.workspace.id, name: "trace" }),
    ({ record }) => record
  )
  const work = Effect.flatMap(newKey, (record) => Effect.as(keys.insert(record), done))
  const traces = Effect.map(keys.list(account_id, { kind: "normal" }), (list) => list.length)
  /** Turns the clock to `at`. */
  const claimOf = (of: IdempotencyScope, token: string, at: number, millis = leaseMillis) =>
    Effect.suspend(() => {
      clock.now = at
      return records.claim(of, token, millis)
    })
  const claim = (token: string, at = now, millis?: number) => claimOf(scope, token, at, millis)
  return { records, scope, keys, newKey, work, traces, claim, claimOf }
})

/** `transactional`: work that was begun can be undone, which the in-memory store, whose ports are one step each, need not. */
export const idempotencyRecordsSuite = (
  name: string,
  makeStore: () => Layer.Layer<StorePorts, unknown>,
  options: { readonly transactional: boolean }
): void => {
  requireOptions<typeof options>("idempotencyRecordsSuite", options, { transactional: true })
  const { transactional } = options
  describe(`idempotency records: ${name}`, () => {
    const run = storeUnderTest(makeStore, clock)
    const test = (title: string, body: Effect.Effect<void, unknown, StorePorts>) => it(title, () => run(body))

    test(
      "lets one of many through, and shows the others its answer",
      Effect.gen(function* () {
        const { records, scope, work, traces, claim } = yield* prepare
        const tokens = Array.from({ length: 8 }, () => crypto.randomUUID())
        const claims = yield* Effect.forEach(tokens, (token) => claim(token), { concurrency: "unbounded" })
        assert.deepStrictEqual(claims.map(({ kind }) => kind).sort(), [
          "claimed",
          ...tokens.slice(1).map(() => "in_flight")
        ])
        const token = claims.flatMap((claim) => (claim.kind === "claimed" ? [claim.token] : []))[0] ?? ""
        assert.deepStrictEqual(yield* records.complete(scope, token, work), Option.some(done))
        assert.strictEqual(yield* traces, 1)
        const later = yield* claim(second, lease + 1)
        assert.strictEqual(later.kind, "answered")
        if (later.kind !== "answered") return
        assert.deepStrictEqual({ ...later.answer, sealed: [...later.answer.sealed] }, { ...kept, sealed: [1, 2, 3] })
      })
    )

    test(
      "keeps an answer for its time, and from release and renewal",
      Effect.gen(function* () {
        const { records, scope, claim } = yield* prepare
        yield* claim(first)
        yield* records.complete(scope, first, Effect.succeed(done))
        yield* records.release(scope, first)
        yield* records.renew(scope, first, 1)
        assert.strictEqual((yield* claim(second, now + idempotencyLifetimeMillis - 1)).kind, "answered")
        assert.strictEqual((yield* claim(second, now + idempotencyLifetimeMillis)).kind, "claimed")
      })
    )

    test(
      "keeps an answer of many megabytes as it is",
      Effect.gen(function* () {
        const { records, scope, claim } = yield* prepare
        const sealed = new Uint8Array(20_000_001).map((_, at) => at % 251)
        yield* claim(first)
        yield* records.complete(scope, first, Effect.succeed({ kept: { ...kept, sealed } }))
        const found = yield* claim(second)
        assert.strictEqual(found.kind, "answered")
        if (found.kind === "answered") assert.isTrue(Buffer.from(found.answer.sealed).equals(sealed))
      })
    )

    test(
      "frees a claim that is released or whose lease ends, and not one that is renewed",
      Effect.gen(function* () {
        const { records, scope, claim } = yield* prepare
        yield* claim(first)
        yield* records.release(scope, second)
        assert.strictEqual((yield* claim(second)).kind, "in_flight")
        yield* records.release(scope, first)
        assert.strictEqual((yield* claim(second)).kind, "claimed")
        yield* records.renew(scope, second, 2 * leaseMillis)
        assert.strictEqual((yield* claim(first, lease + 4_999)).kind, "in_flight")
        assert.strictEqual((yield* claim(first, lease + 5_000)).kind, "claimed")
      })
    )

    test(
      "does nothing for a holder that was overtaken",
      Effect.gen(function* () {
        const { records, scope, work, traces, claim } = yield* prepare
        yield* claim(first)
        assert.strictEqual((yield* claim(second, lease)).kind, "claimed")
        assert.deepStrictEqual(yield* records.complete(scope, first, work), Option.none())
        assert.strictEqual(yield* traces, 0)
        assert.deepStrictEqual(yield* records.complete(scope, second, work), Option.some(done))
        assert.strictEqual(yield* traces, 1)
        assert.deepStrictEqual(yield* records.complete(scope, second, work), Option.none())
        assert.strictEqual(yield* traces, 1)
      })
    )

    test(
      "counts the bytes of answers for their account, until they are forgotten",
      Effect.gen(function* () {
        const { records, scope, claim, claimOf } = yield* prepare
        const stored = yield* StoredAmounts
        const bytes = Effect.map(stored.kept(scope.account_id, null, "idempotency_answer"), (amount) => amount.bytes)
        yield* claim(first)
        assert.strictEqual(yield* bytes, 0)
        yield* records.complete(scope, first, Effect.succeed(done))
        assert.strictEqual(yield* bytes, 3)
        const longer = { kept: { ...kept, sealed: new Uint8Array(10_000).fill(1) } }
        const other = { ...scope, request_hash: "d".repeat(64) }
        yield* claimOf(other, first, now + 1)
        yield* records.complete(other, first, Effect.succeed(longer))
        assert.strictEqual(yield* bytes, 10_003)
        // The first has ended and is claimed anew; the other is forgotten by whoever claims next.
        yield* claim(second, now + idempotencyLifetimeMillis)
        assert.strictEqual(yield* bytes, 10_000)
        const third = { ...scope, request_hash: "e".repeat(64) }
        yield* claimOf(third, first, now + 2 * idempotencyLifetimeMillis)
        assert.strictEqual(yield* bytes, 0)
      })
    )

    test(
      "fails and dies as the work does, and goes on after a refusal within it",
      Effect.gen(function* () {
        const { records, scope, keys, newKey, traces, claim } = yield* prepare
        yield* claim(first)
        assert.strictEqual(
          yield* Effect.flip(records.complete(scope, first, Effect.fail("refused" as const))),
          "refused"
        )
        const exit = yield* Effect.exit(records.complete(scope, first, Effect.die(new Error("broken"))))
        assert.strictEqual(exit._tag, "Failure")
        assert.strictEqual((yield* claim(second)).kind, "in_flight")
        const refusedWithin = Effect.gen(function* () {
          const record = yield* newKey
          assert.isTrue(yield* keys.insert(record))
          assert.isFalse(yield* keys.insert(record))
          assert.isFalse(yield* keys.insert({ ...(yield* newKey), workspace_id: crypto.randomUUID() }))
          assert.isTrue(yield* keys.insert(yield* newKey))
          return done
        })
        assert.deepStrictEqual(yield* records.complete(scope, first, refusedWithin), Option.some(done))
        assert.strictEqual(yield* traces, 2)
      })
    )

    if (name !== "memory")
      it("judges leases and answers by the database's clock, whatever the clock of a process says", () =>
        run(
          Effect.gen(function* () {
            const day = idempotencyLifetimeMillis
            const { records, scope, work, claim } = yield* prepare
            const claimAt = (token: string, skewMillis: number, millis?: number) =>
              Effect.map(claim(token, Date.now() + skewMillis, millis), ({ kind }) => kind)
            assert.strictEqual(yield* claimAt(first, 0, day), "claimed")
            for (const skew of [2 * day, -2 * day]) assert.strictEqual(yield* claimAt(second, skew), "in_flight")
            // A process that is ahead dies: nobody waits for its clock.
            yield* records.renew(scope, first, 0)
            assert.strictEqual(yield* claimAt(second, -2 * day, day), "claimed")
            assert.deepStrictEqual(yield* records.complete(scope, second, work), Option.some(done))
            for (const skew of [2 * day, 0, -2 * day]) assert.strictEqual(yield* claimAt(first, skew), "answered")
          }).pipe(byDatabase)
        ))

    if (transactional)
      test(
        "undoes work that fails half-way, is interrupted, or was overtaken while it was done",
        Effect.gen(function* () {
          const { records, scope, work, traces, claim } = yield* prepare
          yield* claim(first)
          yield* Effect.flip(records.complete(scope, first, Effect.andThen(work, Effect.fail("too late"))))
          assert.strictEqual(yield* traces, 0)
          const begun = yield* Deferred.make<void>()
          const halfWay = work.pipe(Effect.andThen(Deferred.succeed(begun, undefined)), Effect.andThen(Effect.never))
          yield* Effect.raceFirst(records.complete(scope, first, halfWay), Deferred.await(begun))
          assert.strictEqual(yield* traces, 0)
          const overtaken = Effect.tap(work, claim(second, lease))
          assert.deepStrictEqual(yield* records.complete(scope, first, overtaken), Option.none())
          assert.strictEqual(yield* traces, 0)
        })
      )
  })
}
