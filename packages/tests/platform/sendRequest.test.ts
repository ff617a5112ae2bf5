/** What is sent to another service, and where a request and its answer end. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Fiber, Stream, Tracer } from "effect"
import { vi } from "vitest"
import type { Fetch } from "../../core/src/platform/Fetch.ts"
import {
  type OpenedRequest,
  type RequestFailed,
  type SentRequest,
  openRequest,
  sendRequest
} from "../../core/src/platform/sendRequest.ts"

type Init = Parameters<Fetch>[1]

const url = "https://a.example.com/path?query"
const get: SentRequest = { url, method: "GET", timeoutMillis: 1_000, maxBytes: 4 }
const opened: OpenedRequest = { ...get, wholeTimeoutMillis: 60_000 }

/** A service that answers so, and what it was asked. */
const service = (answer: (init: Init) => Promise<Response> | Response) => {
  const asked: { readonly url: string; readonly init: Init }[] = []
  const fetch: Fetch = async (url, init) => {
    asked.push({ url, init })
    return answer(init)
  }
  return { fetch, asked }
}

/** A body of these pieces; `pulls` counts those that were asked for. Once all were read, it ends, or goes on for ever. */
const bodyOf = (pieces: readonly string[], { isEndless = false } = {}) => {
  const state = { pulls: 0, cancelled: false }
  const left = pieces.map((piece) => new TextEncoder().encode(piece))
  const body = new ReadableStream<Uint8Array>(
    {
      pull: (controller) => {
        state.pulls++
        const piece = left.shift()
        if (piece !== undefined) return controller.enqueue(piece)
        if (isEndless) return new Promise<void>(() => {})
        controller.close()
      },
      cancel: () => {
        state.cancelled = true
      }
    },
    { highWaterMark: 0 }
  )
  return { body, state }
}

/** An answer whose body never ends, and fails when the request is given up, as that of a platform does. */
const hanging = ({ signal }: Init): Response =>
  new Response(
    new ReadableStream({
      start: (controller) => signal.addEventListener("abort", () => controller.error(new Error("given up")))
    })
  )

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

const failed = async <A>(sent: Effect.Effect<A, RequestFailed>) => (await Effect.runPromise(Effect.flip(sent)))._tag

/** Turns the timers of the test by hand. */
const withHandTimers = async (run: () => Promise<void>) => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
  try {
    await run()
  } finally {
    vi.useRealTimers()
  }
}

/** Remembers the spans of an effect. */
const traced = <A, E>(effect: Effect.Effect<A, E>) => {
  const spans: Tracer.NativeSpan[] = []
  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })
  return Effect.map(Effect.provideService(effect, Tracer.Tracer, tracer), (value) => ({ value, spans }))
}

type Send = (fetch: Fetch, request: SentRequest) => Effect.Effect<{ readonly status: number }, RequestFailed>

const each: readonly (readonly [name: string, send: Send])[] = [
  ["sendRequest", sendRequest],
  ["openRequest", (fetch, request) => openRequest(fetch, { ...opened, ...request })]
]

describe.each(each)("%s", (name, send) => {
  it(`${name} sends what it is told, follows no redirect, and adds nothing`, async () => {
    const { fetch, asked } = service(() => new Response("ok", { status: 302, headers: { location: "/" } }))
    assert.strictEqual((await Effect.runPromise(send(fetch, get))).status, 302)
    await Effect.runPromise(
      send(fetch, { ...get, method: "DELETE", headers: { "x-a": "b" }, connectionsOf: "account" })
    )
    const plain = asked.map(({ url, init: { signal, ...init } }) => {
      assert.isFalse(signal.aborted)
      return [url, init]
    })
    assert.deepStrictEqual(plain, [
      [url, { method: "GET", headers: {}, redirect: "manual" }],
      [url, { method: "DELETE", headers: { "x-a": "b" }, redirect: "manual", connectionsOf: "account" }]
    ])
  })

  it(`${name} sends bytes as they are, and a stream with its length, no further than it is read`, async () => {
    const { fetch, asked } = service(() => new Response(null, { status: 204 }))
    const bytes = new TextEncoder().encode("body")
    await Effect.runPromise(send(fetch, { ...get, method: "PUT", body: bytes }))
    assert.strictEqual(asked[0]?.init.body, bytes)
    assert.deepStrictEqual(asked[0]?.init.headers, {})
    assert.notProperty(asked[0]?.init, "duplex")
    let pulled = 0
    const pieces = Stream.mapEffect(Stream.make("a", "b"), (piece) =>
      Effect.sync(() => {
        pulled++
        return new TextEncoder().encode(piece)
      })
    )
    const body = { bytes: Stream.rechunk(pieces, 1), length: 2 }
    await Effect.runPromise(send(fetch, { ...get, method: "PUT", headers: { "x-a": "b" }, body }))
    const init = asked[1]?.init
    assert.deepStrictEqual(init?.headers, { "x-a": "b", "content-length": "2" })
    assert.strictEqual(init?.duplex, "half")
    await new Promise(setImmediate)
    assert.strictEqual(pulled, 0)
    assert.strictEqual(await new Response(init?.body as ReadableStream).text(), "ab")
  })

  it(`${name} fails where the service cannot be reached, and leaves no timer behind`, () =>
    withHandTimers(async () => {
      const { fetch } = service(() => Promise.reject(new TypeError("fetch failed")))
      assert.strictEqual(await failed(send(fetch, get)), "RequestFailed")
      assert.strictEqual(vi.getTimerCount(), 0)
    }))

  it(`${name} ends in time, also where fetch never answers and does not heed its signal`, () =>
    withHandTimers(async () => {
      const { fetch, asked } = service(() => new Promise(() => {}))
      const fiber = Effect.runFork(send(fetch, get))
      await vi.advanceTimersByTimeAsync(999)
      assert.isUndefined(fiber.pollUnsafe())
      assert.isFalse(asked[0]?.init.signal.aborted)
      await vi.advanceTimersByTimeAsync(1)
      assert.strictEqual((await Effect.runPromise(Effect.flip(Fiber.join(fiber))))._tag, "RequestFailed")
      assert.isTrue(asked[0]?.init.signal.aborted)
      assert.strictEqual(vi.getTimerCount(), 0)
    }))

  it(`${name} ends the request when nobody waits for it any more`, () =>
    withHandTimers(async () => {
      const { fetch, asked } = service(() => new Promise(() => {}))
      const fiber = Effect.runFork(send(fetch, get))
      await vi.advanceTimersByTimeAsync(1)
      assert.isFalse(asked[0]?.init.signal.aborted)
      await Effect.runPromise(Fiber.interrupt(fiber))
      assert.isTrue(asked[0]?.init.signal.aborted)
      assert.strictEqual(vi.getTimerCount(), 0)
    }))

  it(`${name} is a span of its own where spans are exported, which the service is told of`, async () => {
    const { fetch, asked } = service(() => new Response(null, { status: 404 }))
    const sent = send(fetch, { ...get, method: "POST", headers: { "x-a": "b" } })
    const { spans, value } = await Effect.runPromise(traced(sent))
    assert.strictEqual(value.status, 404)
    const [span] = spans
    if (span === undefined || spans.length > 1) return assert.fail("there is one span")
    assert.strictEqual(span.name, "POST")
    assert.strictEqual(span.kind, "client")
    assert.deepStrictEqual(Object.fromEntries(span.attributes), {
      "http.request.method": "POST",
      "server.address": "a.example.com",
      "http.response.status_code": 404
    })
    const traceparent = `00-${span.traceId}-${span.spanId}-01`
    assert.deepStrictEqual(asked[0]?.init.headers, { "x-a": "b", traceparent })
    assert.strictEqual(span.status._tag, "Ended")
  })
})

describe("the answer of sendRequest", () => {
  it("is the whole body, of as many bytes as are let in", async () => {
    const answered = async (...pieces: readonly string[]) =>
      text((await Effect.runPromise(sendRequest(service(() => new Response(bodyOf(pieces).body)).fetch, get))).body)
    assert.strictEqual(await answered(), "")
    assert.strictEqual(await answered("abcd"), "abcd")
    assert.strictEqual(await answered("ab", "", "cd"), "abcd")
    const empty = service(() => new Response(null, { status: 204 }))
    assert.deepStrictEqual(await Effect.runPromise(sendRequest(empty.fetch, get)), {
      status: 204,
      body: new Uint8Array(0)
    })
  })

  it("fails where it is too large, and the rest is not read", () =>
    withHandTimers(async () => {
      const { body, state } = bodyOf(["ab", "cde", "f"], { isEndless: true })
      assert.strictEqual(await failed(sendRequest(service(() => new Response(body)).fetch, get)), "RequestFailed")
      assert.deepStrictEqual(state, { pulls: 2, cancelled: true })
      assert.strictEqual(vi.getTimerCount(), 0)
    }))

  it("fails where its body does not end in time", () =>
    withHandTimers(async () => {
      const fiber = Effect.runFork(sendRequest(service(hanging).fetch, get))
      await vi.advanceTimersByTimeAsync(999)
      assert.isUndefined(fiber.pollUnsafe())
      await vi.advanceTimersByTimeAsync(1)
      assert.isTrue(Exit.isFailure(await Effect.runPromise(Fiber.await(fiber))))
    }))

  it("leaves no timer behind once it is whole", () =>
    withHandTimers(async () => {
      await Effect.runPromise(sendRequest(service(() => new Response("abc")).fetch, get))
      assert.strictEqual(vi.getTimerCount(), 0)
    }))
})

describe("the answer of openRequest", () => {
  const open = (answer: (init: Init) => Response) => {
    const { fetch, asked } = service(answer)
    return Effect.runPromise(Effect.map(openRequest(fetch, opened), (answered) => ({ ...answered, asked })))
  }

  it("is there as soon as its status is known, and reads no further than it is read", () =>
    withHandTimers(async () => {
      const { body: sent, state } = bodyOf(["ab", "cd"])
      const { status, headers, body } = await open(() => new Response(sent, { status: 201, headers: { "x-a": "b" } }))
      assert.deepStrictEqual([status, headers.get("x-a")], [201, "b"])
      await new Promise(setImmediate)
      assert.strictEqual(state.pulls, 0)
      const reader = body.getReader()
      assert.strictEqual(text((await reader.read()).value ?? new Uint8Array()), "ab")
      assert.strictEqual(state.pulls, 1)
      assert.strictEqual(text((await reader.read()).value ?? new Uint8Array()), "cd")
      assert.strictEqual(vi.getTimerCount(), 1)
      assert.isTrue((await reader.read()).done)
      assert.strictEqual(vi.getTimerCount(), 0)
    }))

  it("may have no body", () =>
    withHandTimers(async () => {
      const { body } = await open(() => new Response(null, { status: 204 }))
      assert.strictEqual(await new Response(body).text(), "")
      assert.strictEqual(vi.getTimerCount(), 0)
    }))

  it("fails where it becomes too large, after what was let in", () =>
    withHandTimers(async () => {
      const { body: sent, state } = bodyOf(["abcd", "e", "f"], { isEndless: true })
      const reader = (await open(() => new Response(sent))).body.getReader()
      assert.strictEqual(text((await reader.read()).value ?? new Uint8Array()), "abcd")
      const cause = await reader.read().then(
        () => undefined,
        (cause: RequestFailed) => cause
      )
      assert.strictEqual(cause?._tag, "RequestFailed")
      assert.isTrue(state.cancelled)
      assert.strictEqual(vi.getTimerCount(), 0)
    }))

  it("ends the request when it is cancelled", () =>
    withHandTimers(async () => {
      const { body, asked } = await open(hanging)
      await body.cancel()
      assert.isTrue(asked[0]?.init.signal.aborted)
      assert.strictEqual(vi.getTimerCount(), 0)
    }))

  it("may take longer than its status, and fails where it takes longer than all of it may", () =>
    withHandTimers(async () => {
      const { body, asked } = await open(hanging)
      const read = body
        .getReader()
        .read()
        .then(
          () => "read",
          (cause: Error) => cause.message
        )
      await vi.advanceTimersByTimeAsync(59_999)
      assert.isFalse(asked[0]?.init.signal.aborted)
      await vi.advanceTimersByTimeAsync(1)
      assert.strictEqual(await read, "given up")
      assert.isTrue(asked[0]?.init.signal.aborted)
    }))
})
