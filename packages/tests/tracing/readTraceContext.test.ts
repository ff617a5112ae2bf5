import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Option, Tracer } from "effect"
import { requestSpan } from "../../core/src/http/requestSpan.ts"
import { sendRequest } from "../../core/src/platform/sendRequest.ts"
import { TraceState, readTraceContext } from "../../core/src/tracing/traceContext.ts"

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const spanId = "00f067aa0ba902b7"
const sent = `00-${traceId}-${spanId}-01`

describe("readTraceContext", () => {
  it("takes the caller's trace, span and word about sampling", () => {
    for (const [flags, sampled] of [
      ["01", true],
      ["00", false],
      ["03", true],
      ["02", false]
    ] as const) {
      const span = readTraceContext({ traceparent: `00-${traceId}-${spanId}-${flags}` })
      assert.deepInclude(span, { traceId, spanId, sampled })
    }
  })

  it.each([
    undefined,
    "",
    "nonsense",
    sent.toUpperCase(),
    `${sent}-more`,
    `ff-${traceId}-${spanId}-01`,
    `00-${"0".repeat(32)}-${spanId}-01`,
    `00-${traceId}-${"0".repeat(16)}-01`,
    `00-${traceId.slice(1)}-${spanId}-01`,
    `00-${traceId}-${spanId}`,
    `00-${traceId}-${spanId}-1`,
    `${sent}, ${sent}`
  ])("counts %s as absent", (traceparent) => {
    assert.isUndefined(readTraceContext({ traceparent, tracestate: "a=b" }))
  })

  it("reads later versions as far as this one goes", () => {
    assert.strictEqual(
      readTraceContext({ traceparent: `cc-${traceId}-${spanId}-01-what-the-future-brings` })?.traceId,
      traceId
    )
  })

  const stateOf = (tracestate: string) => {
    const span = readTraceContext({ traceparent: sent, tracestate })
    return span && Context.get(span.annotations, TraceState)
  }

  it("keeps a state that is well formed, and only then", () => {
    assert.strictEqual(stateOf("rojo=00f067aa0ba902b7, congo=t61rcWkgMzE,"), "rojo=00f067aa0ba902b7,congo=t61rcWkgMzE")
    assert.strictEqual(stateOf("tenant@system=a b"), "tenant@system=a b")
    for (const malformed of ["", ",", "a", "=b", "A=b", "a=b=c", "a=\u00e9", "a=b\r\nx: y", `a=${"x".repeat(600)}`])
      assert.isUndefined(stateOf(malformed), malformed)
    assert.isUndefined(stateOf(Array.from({ length: 33 }, (_, index) => `k${index}=v`).join(",")))
  })
})

describe("a request to another service", () => {
  const requested = async (headers: Record<string, string>, tracer: Tracer.Tracer) => {
    let got: Readonly<Record<string, string>> = {}
    const call = sendRequest(
      (_, init) => {
        got = init.headers
        return Promise.resolve(new Response("ok"))
      },
      {
        url: "https://elsewhere.example/secret",
        method: "GET",
        headers: { accept: "*/*" },
        timeoutMillis: 1000,
        maxBytes: 10
      }
    )
    const answer = Effect.as(Effect.orDie(call), { status: 204, headers: {}, body: undefined })
    const request = { method: "GET", headers } as Parameters<typeof requestSpan>[0]
    await Effect.runPromise(Effect.provideService(requestSpan(request, "/x", answer), Tracer.Tracer, tracer))
    return got
  }

  it("belongs to the trace of whoever it is made for", async () => {
    const spans: Tracer.Span[] = []
    const tracer = Tracer.make({
      span: (options) => {
        const span = new Tracer.NativeSpan(options)
        spans.push(span)
        return span
      }
    })
    const got = await requested({ traceparent: sent, tracestate: "rojo=1" }, tracer)
    const [ofRequest, ofCall] = spans
    assert.strictEqual(Option.getOrUndefined(ofCall?.parent ?? Option.none()), ofRequest)
    assert.deepStrictEqual(got, {
      accept: "*/*",
      traceparent: `00-${traceId}-${ofCall?.spanId}-01`,
      tracestate: "rojo=1"
    })
    assert.notInclude(JSON.stringify([ofCall?.name, ...(ofCall?.attributes ?? [])]), "secret")
  })

  it("says nothing of traces where spans go nowhere", async () => {
    assert.deepStrictEqual(await requested({ traceparent: sent }, Tracer.nativeTracer), { accept: "*/*" })
  })
})
