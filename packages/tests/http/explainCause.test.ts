/** What a cause means to the user, and what of it is logged: never what a message may repeat. */
import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Logger, References } from "effect"
import {
  BadRequest,
  Forbidden,
  FileStorageUnavailable,
  OutcomeUnknown,
  StoreUnavailable,
  Unavailable
} from "../../core/src/value/failure.ts"
import { asUnavailable, envelope, explainCause } from "../../core/src/http/envelope.ts"

const secret = "sk-or-v1-what-was-submitted"

/** What an effect comes to, and what it logs meanwhile. */
const logging = <A, E>(effect: Effect.Effect<A, E>) =>
  Effect.gen(function* () {
    const lines: string[] = []
    const logger = Logger.make<unknown, void>(({ message }) => void lines.push(JSON.stringify(message)))
    const exit: unknown = yield* Effect.exit(effect).pipe(
      Effect.provide(Logger.layer([logger])),
      Effect.provideService(References.MinimumLogLevel, "All")
    )
    return { exit, logged: lines.join("\n") }
  })

const goneDefects = [
  [new StoreUnavailable({ cause: new Error(secret) }), "store_unavailable"],
  [new FileStorageUnavailable({ cause: new Error(secret) }), "file_storage_unavailable"]
] as const

it("an answer names a hundred issues at most", () => {
  const issues = Array.from({ length: 101 }, (_, index) => ({ path: `a.${index}`, code: "x", message: "Wrong" }))
  const { metadata } = envelope({ status: 409, reason: "person_in_use", issues }, "id", "/errors/").error
  assert.deepEqual(metadata?.issues, issues.slice(0, 100))
})

describe("explainCause", () => {
  it.effect("finds the location of a defect behind a million line breaks", () =>
    Effect.gen(function* () {
      const defect = new Error(secret)
      defect.stack = `Error: ${"\n".repeat(1_000_000)}\n    at place (file.ts:1:1)`
      const { logged } = yield* logging(explainCause(Cause.die(defect)))
      assert.include(logged, "place (file.ts:1:1)")
    })
  )

  it.effect("answers a failure as it says, with nothing that it does not have", () =>
    Effect.gen(function* () {
      const issues = [{ path: "name", code: "too_big", message: "Too long" }]
      const plain = yield* logging(explainCause(Cause.fail(new BadRequest({ reason: "invalid_request", issues }))))
      assert.deepStrictEqual(plain, {
        exit: Exit.succeed({ status: 400, reason: "invalid_request", issues }),
        logged: ""
      })
      for (const [text, said] of [
        ["Not for you", { text: "Not for you" }],
        [undefined, {}]
      ] as const) {
        const refused = new Forbidden({ reason: "not_admitted", ...(text === undefined ? {} : { text }) })
        const { exit } = yield* logging(explainCause(Cause.fail(refused)))
        assert.deepStrictEqual(exit, Exit.succeed({ status: 403, reason: "not_admitted", issues: undefined, ...said }))
      }
      const busy = new Unavailable({ reason: "store_unavailable", retryAfterSeconds: 7 })
      assert.deepStrictEqual(
        (yield* logging(explainCause(Cause.fail(busy)))).exit,
        Exit.succeed({ status: 503, reason: "store_unavailable", issues: undefined, retryAfterSeconds: 7 })
      )
    })
  )

  it.effect("tells whoever was broken off to come again", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* logging(explainCause(Cause.interrupt(1))), {
        exit: Exit.succeed({ status: 503, reason: "draining", retryAfterSeconds: 1 }),
        logged: ""
      })
    })
  )

  it.effect("names what is gone, what nobody knows, and no more of what is unexpected than where it was", () =>
    Effect.gen(function* () {
      const named = [...goneDefects, [new OutcomeUnknown({ cause: new Error(secret) }), "outcome_unknown"]] as const
      for (const [defect, reason] of named) {
        const { exit, logged } = yield* logging(explainCause(Cause.die(defect)))
        assert.deepStrictEqual(exit, Exit.succeed({ status: 500, reason }))
        assert.isNotEmpty(logged)
        assert.notInclude(logged, secret)
      }
      for (const [defect, told] of [
        [new TypeError(secret), /"name":"TypeError","place":".*explainCause\.test/],
        [secret, /\{"name":"string"\}/]
      ] as const) {
        const { exit, logged } = yield* logging(explainCause(Cause.die(defect)))
        assert.deepStrictEqual(exit, Exit.succeed({ status: 500, reason: "unexpected_failure" }))
        assert.match(logged, told)
        assert.notInclude(logged, secret)
      }
    })
  )
})

describe("asUnavailable", () => {
  it.effect("says when to come back where something is gone, and leaves other defects alone", () =>
    Effect.gen(function* () {
      for (const [defect, reason] of goneDefects) {
        const { exit, logged } = yield* logging(asUnavailable(Effect.die(defect)))
        assert.deepStrictEqual(exit, Exit.fail(new Unavailable({ reason, retryAfterSeconds: 1 })))
        assert.include(logged, reason)
        assert.notInclude(logged, secret)
      }
      const other = new Error("other")
      assert.deepStrictEqual((yield* logging(asUnavailable(Effect.die(other)))).exit, Exit.die(other))
    })
  )
})
