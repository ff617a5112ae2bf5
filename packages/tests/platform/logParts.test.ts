/** What a log line is made of: a message, and fields. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Tracer } from "effect"
import { logParts } from "../../core/src/platform/logParts.ts"

const parts = (message: unknown) => Effect.withFiber((fiber) => Effect.succeed(logParts({ fiber, message })))

const tracer = Tracer.make({ span: (options) => new Tracer.NativeSpan(options) })

class Row {
  readonly id = 1
}

describe("a log line", () => {
  it.effect("has texts and other values as its message, and plain objects as its fields", () =>
    Effect.gen(function* () {
      const bare = Object.assign(Object.create(null) as object, { c: 3 })
      const cases: readonly (readonly [message: unknown, written: string, fields: object])[] = [
        ["one", "one", {}],
        [["one", "two"], "one two", {}],
        [["one", { a: 1, b: 2 }, "two", { b: 3 }], "one two", { a: 1, b: 3 }],
        [{ a: 1 }, "", { a: 1 }],
        [["count", 5, true, null, undefined], "count 5 true  ", {}],
        [[new Error("broken")], "Error: broken", {}],
        [["row", new Row()], "row [object Object]", {}],
        [["list", [1, 2]], "list 1,2", {}],
        [[{ a: bare }], "", { a: bare }],
        [[], "", {}]
      ]
      for (const [message, written, fields] of cases)
        assert.deepStrictEqual(yield* parts(message), { message: written, fields })
    })
  )

  it.effect("has the annotations at hand, which its own fields replace", () =>
    Effect.gen(function* () {
      const { fields } = yield* parts(["one", { a: 1 }])
      assert.deepStrictEqual(fields, { a: 1, b: 2 })
    }).pipe(Effect.annotateLogs({ a: 0, b: 2 }))
  )

  it.effect("names the span at hand where spans are exported, and none that is not", () =>
    Effect.gen(function* () {
      const inSpan = Effect.flatMap(Effect.currentSpan, (span) =>
        Effect.map(parts("one"), ({ fields }) => [fields, { trace_id: span.traceId, span_id: span.spanId }])
      )
      const [fields, ids] = yield* Effect.provideService(Effect.withSpan(inSpan, "span"), Tracer.Tracer, tracer)
      assert.deepStrictEqual(fields, ids)
      const [unexported] = yield* Effect.withSpan(inSpan, "span")
      assert.deepStrictEqual(unexported, {})
      const hidden = { annotations: Context.make(Tracer.DisablePropagation, true) }
      const [unseen] = yield* Effect.provideService(Effect.withSpan(inSpan, "span", hidden), Tracer.Tracer, tracer)
      assert.deepStrictEqual(unseen, {})
      const outside = yield* Effect.provideService(parts("one"), Tracer.Tracer, tracer)
      assert.deepStrictEqual(outside.fields, {})
    })
  )
})
