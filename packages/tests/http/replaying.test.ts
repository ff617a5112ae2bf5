/** What an `Idempotency-Key` promises where work takes longer than a claim lasts, and where its record cannot be kept. */
import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber, Result } from "effect"
import { TestClock } from "effect/testing"
import { type Answer, Repetitions, replaying } from "../../core/src/http/replaying.ts"
import { type Claim, IdempotencyRecords } from "../../core/src/ports/idempotency.ts"
import { StoredAmounts } from "../../core/src/ports/limits.ts"
import { pieceBytes } from "../../core/src/value/bytes.ts"
import { Digest } from "../../core/src/platform/Digest.ts"
import { layerMemory } from "../../core/src/memory/memoryStore.ts"
import { parseKeyring } from "../../core/src/vault/Keyring.ts"
import { layerVault, Vault } from "../../core/src/vault/Vault.ts"

const parsed = parseKeyring(`k1:${btoa(String.fromCharCode(...new Uint8Array(32).fill(7)))}`)
if ("problem" in parsed) throw new Error(parsed.problem)
const { keyring } = parsed

const caller = {
  account_id: "acme",
  key_hash: "a".repeat(64),
  kind: "management",
  workspace_id: null,
  default_workspace_id: null,
  user_id: null,
  is_operator: false,
  restrictions: null
} as const

const answered = { status: 201, body: '{"done":true}' }

/** `send` does the work, unless it was done before; `log` tells what the records were asked and what they said. */
const world = ({ atomic, isBroken, losesClaim }: { atomic: boolean; isBroken?: boolean; losesClaim?: boolean }) =>
  Effect.gen(function* () {
    const records = yield* IdempotencyRecords
    const log: (Claim["kind"] | "renewed")[] = []
    const inFlight = yield* Deferred.make<void>()
    const watched = IdempotencyRecords.of({
      ...records,
      claim: (...asked) =>
        Effect.tap(records.claim(...asked), ({ kind }) => {
          log.push(kind)
          return kind === "in_flight" ? Deferred.succeed(inFlight, undefined) : Effect.void
        }),
      renew: (...asked) => Effect.tap(records.renew(...asked), () => Effect.sync(() => log.push("renewed"))),
      complete: (scope, token, work) => {
        if (isBroken === true) return Effect.die(new Error("gone"))
        const isLost = losesClaim === true && log.length === 1
        return Effect.andThen(
          isLost ? records.release(scope, token) : Effect.void,
          records.complete(scope, token, work)
        )
      }
    })
    const processes = [new Repetitions(), new Repetitions()]
    /** `process`: which of two it comes to. */
    const send = (work: Effect.Effect<Answer>, headers: Record<string, string> = {}, process: 0 | 1 = 0, hash = "b") =>
      replaying(
        "once",
        {
          route: "POST /work",
          query: {},
          caller,
          body: { value: {}, sent: {}, hash: Effect.succeed(hash) },
          atomic,
          inTurn: (work) => work,
          changes: true,
          ofDataPlane: false,
          prepare: undefined,
          again: undefined,
          repetitions: processes[process] ?? assert.fail()
        },
        work,
        headers
      ).pipe(Effect.provideService(IdempotencyRecords, watched))
    return { log, inFlight, send }
  })

const live = <A, E>(program: Effect.Effect<A, E, IdempotencyRecords | StoredAmounts | Vault>) =>
  program.pipe(
    Effect.provide(layerVault(keyring)),
    Effect.provide(layerMemory),
    // At once, so that whoever was started waits already.
    Effect.provideService(Digest, {
      sha256: (data) => Effect.succeed(new TextEncoder().encode(`digest of ${String(data)}`)),
      sha256Hex: (data) => Effect.succeed(`digest of ${String(data)}`)
    })
  )

describe.each([
  { kind: "in the store", atomic: true },
  { kind: "elsewhere as well", atomic: false }
])("work that is done $kind", ({ atomic }) => {
  it.effect("is nobody else's for as long as it takes, and is answered to whoever waited", () =>
    live(
      Effect.gen(function* () {
        const { log, inFlight, send } = yield* world({ atomic })
        const [begun, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        let runs = 0
        const work = Effect.gen(function* () {
          runs++
          yield* Deferred.succeed(begun, undefined)
          yield* Deferred.await(mayEnd)
          return answered
        })
        const headers = [{}, {}] as const
        const first = yield* Effect.forkChild(send(work, headers[0]))
        yield* Deferred.await(begun)
        yield* TestClock.adjust("9 seconds")
        assert.deepStrictEqual(log, ["claimed", "renewed", "renewed", "renewed", "renewed"])
        const second = yield* Effect.forkChild(send(work, headers[1], 1))
        yield* Effect.raceFirst(Deferred.await(inFlight), Fiber.await(second))
        yield* Deferred.succeed(mayEnd, undefined)
        assert.deepStrictEqual(yield* Fiber.join(first), answered)
        log.length = 0
        yield* TestClock.adjust("10 seconds")
        assert.deepStrictEqual(yield* Fiber.join(second), answered)
        assert.deepStrictEqual(log, ["answered"])
        assert.strictEqual(runs, 1)
        assert.deepStrictEqual(headers, [{}, { "idempotent-replayed": "true" }])
      })
    )
  )

  it.effect("is answered again in pieces where its answer is long", () =>
    live(
      Effect.gen(function* () {
        const { send } = yield* world({ atomic })
        const body = pieceBytes(new TextEncoder().encode(`{"text":"${"é".repeat(100_000)}"}`), 65_536)
        const work = Effect.succeed({ status: 200, body })
        assert.deepStrictEqual((yield* send(work)).body, body)
        const headers: Record<string, string> = {}
        assert.deepStrictEqual((yield* send(work, headers)).body, body)
        assert.deepStrictEqual(headers, { "idempotent-replayed": "true" })
      })
    )
  )

  it.effect("is waited for by all others of its process together, who ask nothing", () =>
    live(
      Effect.gen(function* () {
        const { log, send } = yield* world({ atomic })
        const [begun, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const work = Effect.andThen(Deferred.succeed(begun, undefined), Effect.as(Deferred.await(mayEnd), answered))
        const first = yield* Effect.forkChild(send(work))
        yield* Deferred.await(begun)
        const others = yield* Effect.forEach([..."b".repeat(99), "other"], (hash) =>
          Effect.forkChild(Effect.result(send(work, {}, 0, hash)), { startImmediately: true })
        )
        // Nobody may be one too many for ever.
        const refused = yield* Effect.flip(send(work))
        assert.deepInclude(refused, { status: 429, reason: "too_many_repetitions", retryAfterSeconds: 1 })
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(log, ["claimed"])
        yield* Deferred.succeed(mayEnd, undefined)
        const outcomes = yield* Fiber.joinAll(others)
        assert.deepStrictEqual(
          outcomes.map((outcome) => (Result.isSuccess(outcome) ? outcome.success : outcome.failure.reason)),
          [...Array.from({ length: 99 }, () => answered), "idempotency_key_reused"]
        )
        assert.deepStrictEqual(yield* Fiber.join(first), answered)
        assert.deepStrictEqual(log, ["claimed"])
      })
    )
  )

  it.effect("is asked for by one of a process where another process does it, ever more rarely", () =>
    live(
      Effect.gen(function* () {
        const { log, inFlight, send } = yield* world({ atomic })
        const [begun, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const work = Effect.andThen(Deferred.succeed(begun, undefined), Effect.as(Deferred.await(mayEnd), answered))
        const first = yield* Effect.forkChild(send(work))
        yield* Deferred.await(begun)
        const others = yield* Effect.forEach(Array.from({ length: 50 }), () => Effect.forkChild(send(work, {}, 1)))
        yield* Deferred.await(inFlight)
        yield* TestClock.adjust("1900 millis")
        // 25, 50, 100, 200, and from then on every 250 ms.
        assert.strictEqual(log.filter((asked) => asked === "in_flight").length, 11)
        yield* Deferred.succeed(mayEnd, undefined)
        yield* Fiber.join(first)
        yield* TestClock.adjust("250 millis")
        for (const answer of yield* Fiber.joinAll(others)) assert.deepStrictEqual(answer, answered)
        assert.strictEqual(log.filter((asked) => asked === "answered").length, 1)
      })
    )
  )

  it.effect("is done by the next when the first failed", () =>
    live(
      Effect.gen(function* () {
        const { send } = yield* world({ atomic })
        const [begun, mayEnd] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
        const failing = Effect.andThen(
          Deferred.succeed(begun, undefined),
          Effect.andThen(Deferred.await(mayEnd), Effect.die(new Error("failed")))
        )
        const first = yield* Effect.forkChild(send(failing))
        yield* Deferred.await(begun)
        let runs = 0
        const work = Effect.sync(() => (runs++, answered))
        const others = yield* Effect.forEach([1, 2, 3], () => Effect.forkChild(send(work), { startImmediately: true }))
        yield* Deferred.succeed(mayEnd, undefined)
        assert.isTrue(Exit.isFailure(yield* Fiber.await(first)))
        for (const answer of yield* Fiber.joinAll(others)) assert.deepStrictEqual(answer, answered)
        assert.strictEqual(runs, 1)
      })
    )
  )

  it.effect(atomic ? "fails with its record" : "is answered though its record cannot be kept", () =>
    live(
      Effect.gen(function* () {
        const { send } = yield* world({ atomic, isBroken: true })
        const outcome = yield* Effect.exit(send(Effect.succeed(answered)))
        assert.deepStrictEqual(Exit.isSuccess(outcome) ? outcome.value : undefined, atomic ? undefined : answered)
      })
    )
  )
})

it.effect("begins anew, and does nothing twice, when its claim is lost before the work is done", () =>
  live(
    Effect.gen(function* () {
      const { log, send } = yield* world({ atomic: true, losesClaim: true })
      let runs = 0
      const answer = yield* send(Effect.sync(() => (runs++, answered)))
      assert.deepStrictEqual([answer, runs, log], [answered, 1, ["claimed", "claimed"]])
    })
  )
)
