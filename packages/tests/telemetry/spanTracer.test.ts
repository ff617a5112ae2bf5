import { assert, describe, it } from "@effect/vitest"
import { Cause, Data, Effect, Exit, Tracer } from "effect"
import { silentTracer, spanTracer } from "../../node/src/telemetry/spanTracer.ts"

class Refused extends Data.TaggedError("Refused")<{ readonly why: string }> {}

/** How the span of an effect ended, and all that an exporter could print of it. */
const ended = async <E>(effect: Effect.Effect<unknown, E>, kind: Tracer.SpanKind = "internal") => {
  const spans: Tracer.Span[] = []
  const tracer = spanTracer({
    inner: silentTracer,
    sampler: () => true,
    reader: { started: (span) => void spans.push(span), ended: () => {} }
  })
  await Effect.runPromiseExit(
    Effect.useSpan("watched", { kind }, () => effect).pipe(Effect.provideService(Tracer.Tracer, tracer))
  )
  const [span] = spans
  if (span?.status._tag !== "Ended") throw new Error("no span has ended")
  const { exit } = span.status
  const errors = Exit.isFailure(exit) ? Cause.prettyErrors(exit.cause) : []
  return {
    exit,
    type: span.attributes.get("error.type"),
    printed: errors.map(({ name, message, stack }) => `${name} ${message} ${stack}`).join("\n")
  }
}

describe("spanTracer", () => {
  it("tells the name and place of a defect, not what it says", async () => {
    const { exit, type, printed } = await ended(
      Effect.die(new TypeError("bad token s3cret\n    at s3cret (s3cret:1:1)"))
    )
    assert.isTrue(Exit.isFailure(exit))
    assert.strictEqual(type, "TypeError")
    assert.include(printed, "TypeError")
    assert.include(printed, "spanTracer.test")
    assert.notInclude(printed, "s3cret")
  })

  it("takes a refusal for an end like others, except of a call to somebody else", async () => {
    const refused = Effect.fail(new Refused({ why: "s3cret" }))
    const inside = await ended(refused)
    assert.deepStrictEqual(inside.exit, Exit.void)
    assert.strictEqual(inside.type, "Refused")
    for (const kind of ["client", "server"] as const) {
      const { exit, printed } = await ended(refused, kind)
      assert.isTrue(Exit.isFailure(exit))
      assert.notInclude(printed, "s3cret")
    }
  })

  it("says that work was broken off", async () => {
    const { exit, type } = await ended(Effect.interrupt)
    assert.isTrue(Exit.isFailure(exit) && Cause.hasInterruptsOnly(exit.cause))
    assert.isUndefined(type)
  })

  it("forgets what an effect answered", async () => {
    assert.deepStrictEqual((await ended(Effect.succeed("s3cret"))).exit, Exit.void)
  })
})
