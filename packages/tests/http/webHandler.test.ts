/** The door of fetch: what becomes of requests and answers on their way. */
import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Stream } from "effect"
import type { App } from "../../core/src/http/App.ts"
import type { AppAnswer, AppRequest } from "../../core/src/http/AppRequest.ts"
import { defaultBodyLimits } from "../../core/src/http/BodyLimits.ts"
import { webHandler } from "../../core/src/http/webHandler.ts"

const handling = (answer: (request: AppRequest) => Effect.Effect<AppAnswer>): ReturnType<typeof webHandler> =>
  webHandler({ answer, services: Context.empty() as App["services"], errorDocs: () => "https://docs.test/#" })

const ok = (body: AppAnswer["body"], headers = {}): AppAnswer => ({ status: 200, headers, body })

const bytes = (text: string): Uint8Array<ArrayBuffer> => new TextEncoder().encode(text)

/** A request of a host that says how long its body is. */
const announcing = (length: number, body: ReadableStream): Request =>
  new Request("http://host.test/", {
    method: "POST",
    headers: { "content-length": String(length) },
    body,
    duplex: "half"
  } as RequestInit)

const streamOf = (...chunks: readonly unknown[]): ReadableStream =>
  new ReadableStream({
    start: (controller) => {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    }
  })

/** Answers what was read of a body, or why it was not. */
const reading = handling((request) =>
  Effect.map(
    Effect.match(request.readBytes(defaultBodyLimits), {
      onSuccess: (read) => new TextDecoder().decode(read),
      onFailure: (problem) => problem
    }),
    (read) => ok(read)
  )
)

describe("a request of fetch", () => {
  it("has method, path with query, and headers", async () => {
    const handler = handling(({ method, url, headers }) => Effect.succeed(ok(JSON.stringify({ method, url, headers }))))
    const request = new Request("http://host.test:80/a%2Fb?c=d", { method: "delete", headers: { "X-One": "1" } })
    assert.deepEqual(await (await handler(request)).json(), {
      method: "DELETE",
      url: "/a%2Fb?c=d",
      headers: { "x-one": "1" }
    })
  })

  it("is the one that the host is asked about", async () => {
    const request = new Request("http://host.test/")
    const handler = handling(({ whole }) => Effect.map(whole(), (asked) => ok(String(asked === request))))
    assert.strictEqual(await (await handler(request)).text(), "true")
  })

  const bodies: readonly (readonly [name: string, request: () => Request, read: string])[] = [
    ["without a body", () => new Request("http://host.test/", { method: "POST" }), ""],
    ["of several chunks", () => announcing(4, streamOf(bytes("ab"), bytes("cd"))), "abcd"],
    ["shorter than announced", () => announcing(9, streamOf(bytes("ab"))), "ab"],
    ["longer than announced", () => announcing(3, streamOf(bytes("ab"), bytes("cd"))), "unreadable"],
    ["of what is no bytes", () => announcing(4, streamOf(1, 2)), "unreadable"],
    [
      "that breaks off",
      () => announcing(4, new ReadableStream({ pull: () => Promise.reject(new Error()) })),
      "unreadable"
    ]
  ]
  for (const [name, request, read] of bodies)
    it(`${name} is read: ${JSON.stringify(read)}`, async () => {
      assert.strictEqual(await (await reading(request())).text(), read)
    })

  it("that the host has read already is unreadable", async () => {
    const request = new Request("http://host.test/", { method: "POST", body: "ab", headers: { "content-length": "2" } })
    await request.text()
    assert.strictEqual(await (await reading(request)).text(), "unreadable")
  })

  it("has its body as a stream, empty if there is none", async () => {
    const handler = handling((request) =>
      Effect.map(
        Effect.orDie(
          Stream.runFold(
            request.stream(),
            () => 0,
            (size, chunk) => size + chunk.length
          )
        ),
        (size) => ok(String(size))
      )
    )
    assert.strictEqual(await (await handler(announcing(4, streamOf(bytes("ab"), bytes("cd"))))).text(), "4")
    assert.strictEqual(await (await handler(new Request("http://host.test/"))).text(), "0")
  })

  for (const when of ["before", "while it is answered"])
    it(`that is aborted ${when} is no longer worked on`, async () => {
      const host = new AbortController()
      if (when === "before") host.abort()
      let interrupted = false
      const handler = handling(() => {
        if (when !== "before") queueMicrotask(() => host.abort())
        return Effect.as(
          Effect.exit(
            Effect.interruptible(Effect.onInterrupt(Effect.never, () => Effect.sync(() => (interrupted = true))))
          ),
          ok("")
        )
      })
      await handler(new Request("http://host.test/", { signal: host.signal }))
      assert.isTrue(interrupted)
    })
})

describe("an answer", () => {
  const answered = async (answer: AppAnswer, method = "GET") => {
    const response = await handling(() => Effect.succeed(answer))(new Request("http://host.test/", { method }))
    return { status: response.status, headers: Object.fromEntries(response.headers), text: await response.text() }
  }

  it("is JSON with its length in bytes, unless it says otherwise", async () => {
    assert.deepEqual(await answered(ok('"ä"', { "x-one": "1" })), {
      status: 200,
      headers: { "content-type": "application/json", "content-length": "4", "x-one": "1" },
      text: '"ä"'
    })
    assert.strictEqual((await answered(ok("a", { "content-type": "text/csv" }))).headers["content-type"], "text/csv")
  })

  it("of pieces is those, one after the other", async () => {
    const { headers, text } = await answered(ok([bytes("ab"), bytes("cde")]))
    assert.deepEqual([headers["content-length"], text], ["5", "abcde"])
  })

  it("to HEAD has the headers alone", async () => {
    const { headers, text } = await answered(ok("abc"), "HEAD")
    assert.deepEqual([headers["content-length"], text], ["3", ""])
  })

  it("without a body has no length and no type", async () => {
    assert.deepEqual(await answered({ status: 304, headers: { etag: '"a"' }, body: undefined }), {
      status: 304,
      headers: { etag: '"a"' },
      text: ""
    })
  })

  it("is 500 in the envelope where something failed that is not meant to", async () => {
    const handler = handling(() => Effect.die(new Error("broken")))
    const response = await handler(new Request("http://host.test/"))
    assert.strictEqual(response.status, 500)
    const { error } = (await response.json()) as { error: { metadata: { request_id: string; doc_url: string } } }
    assert.strictEqual(error.metadata.doc_url, "https://docs.test/#unexpected_failure")
    assert.strictEqual(error.metadata.request_id, response.headers.get("x-request-id"))
  })
})
