/** Against a real HTTP server on loopback. What a well or unwell provider answers is the HTTP suite's; here are time and size. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Redacted, Stream } from "effect"
import { createServer, type RequestListener } from "node:http"
import type { Fetch } from "../../core/src/platform/Fetch.ts"
import { makeProviderFiles } from "../../core/src/file/makeProviderFiles.ts"

const access = (key = "sk-secret") => ({ provider: "openai" as const, key: Redacted.make(key) })

const withServer = async <A>(listener: RequestListener, use: (baseUrl: string) => Promise<A>): Promise<A> => {
  const server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  const address = server.address()
  try {
    return await use(`http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const removeThrough = (baseUrl: string, timeoutMillis: number, key?: string) =>
  Effect.runPromiseExit(
    makeProviderFiles({ fetch: fetch as Fetch, baseUrls: { openai: baseUrl }, timeoutMillis }).remove(
      access(key),
      "file-1"
    )
  )

const isFailed = (exit: Exit.Exit<unknown, { readonly _tag: string }>): boolean =>
  Exit.isFailure(exit) &&
  exit.cause.reasons.some((reason) => reason._tag === "Fail" && reason.error._tag === "UpstreamFailed")

describe("makeProviderFiles", () => {
  it("a provider that never answers is given up", () =>
    withServer(
      () => {},
      async (baseUrl) => assert.isTrue(isFailed(await removeThrough(baseUrl, 50)))
    ))

  it("a provider that never ends its answer is given up", () =>
    withServer(
      (_, response) => void response.writeHead(200, { "content-type": "application/json" }).write('{"id":"file-1"'),
      async (baseUrl) => assert.isTrue(isFailed(await removeThrough(baseUrl, 50)))
    ))

  it("an answer that is too large is not read on", () =>
    withServer(
      (_, response) => {
        response.writeHead(200)
        const more = () => {
          while (response.writable && response.write("x".repeat(65_536)));
        }
        response.on("drain", more)
        more()
      },
      async (baseUrl) => assert.isTrue(isFailed(await removeThrough(baseUrl, 10_000)))
    ))

  it("a key that is no header value fails like a provider", () =>
    withServer(
      (_, response) => void response.end(),
      async (baseUrl) => {
        for (const key of ["a\nb", "ключ", '{\n"type":"service_account"}'])
          assert.isTrue(isFailed(await removeThrough(baseUrl, 1_000, key)))
      }
    ))

  it("believes no answer that is not one of success, whatever it says", async () => {
    const facts = { id: "file-1", object: "file", filename: "a.pdf", bytes: 1, created_at: 1, purpose: "user_data" }
    for (const status of [200, 401, 429, 500])
      await withServer(
        (request, response) => {
          request.resume()
          response.writeHead(status, { "content-type": "application/json" })
          response.end(JSON.stringify({ ...facts, deleted: true }))
        },
        async (baseUrl) => {
          const files = makeProviderFiles({ fetch: fetch as Fetch, baseUrls: { openai: baseUrl } })
          const sent = {
            filename: "a.pdf",
            mime_type: "application/pdf",
            size_bytes: 1,
            content: Stream.succeed(new Uint8Array(1))
          }
          for (const asked of [
            Effect.asVoid(files.upload(access(), sent)),
            Effect.asVoid(files.find(access(), "file-1")),
            Effect.asVoid(files.remove(access(), "file-1"))
          ]) {
            const exit = await Effect.runPromiseExit(asked)
            assert.isTrue(status === 200 ? Exit.isSuccess(exit) : isFailed(exit), String(status))
          }
        }
      )
  })

  it("asks at the address below the base, wherever it ends", async () => {
    const seen: (string | undefined)[] = []
    await withServer(
      (request, response) => {
        seen.push(`${request.method} ${request.url} ${request.headers.authorization}`)
        response.end('{"id":"file-1","object":"file","deleted":true}')
      },
      async (baseUrl) => {
        for (const base of [baseUrl, `${baseUrl}/`, `${baseUrl}/proxy//`])
          assert.isTrue(Exit.isSuccess(await removeThrough(base, 1_000)))
      }
    )
    assert.deepEqual(seen, [
      "DELETE /v1/files/file-1 Bearer sk-secret",
      "DELETE /v1/files/file-1 Bearer sk-secret",
      "DELETE /proxy/v1/files/file-1 Bearer sk-secret"
    ])
  })

  describe("content", () => {
    const total = 64_000_000

    /** Sends as fast as it is taken, and says how much it has sent and whether its reader is gone. */
    const sending = () => {
      const state = { sent: 0, isClosed: false }
      const listener: RequestListener = (_, response) => {
        response.writeHead(200, { "content-type": "text/html" }).on("close", () => (state.isClosed = true))
        const piece = Buffer.alloc(65_536)
        const more = () => {
          while (state.sent < total && response.writable) {
            state.sent += piece.length
            if (!response.write(piece)) return
          }
          response.end()
        }
        response.on("drain", more)
        more()
      }
      return { state, listener }
    }

    const openedAt = async (baseUrl: string, more: object = {}) => {
      const files = makeProviderFiles({ fetch: fetch as Fetch, baseUrls: { openai: baseUrl }, ...more })
      const content = await Effect.runPromise(files.content(access(), "file-1"))
      if (!(content instanceof ReadableStream)) throw new Error("no content")
      return content
    }

    /** Resolves once a number stays what it is while the event loop goes round. */
    const settled = async (number: () => number): Promise<number> => {
      for (let turns = 0, last = number(); ; turns++, last = number()) {
        for (let turn = 0; turn < 300; turn++) await new Promise((done) => setImmediate(done))
        if (number() === last || turns > 1_000) return last
      }
    }

    const readAll = async (content: ReadableStream<Uint8Array>): Promise<number> => {
      let size = 0
      for await (const piece of content) size += piece.length
      return size
    }

    it("is read no faster than it is taken", async () => {
      const { state, listener } = sending()
      await withServer(listener, async (baseUrl) => {
        const content = await openedAt(baseUrl)
        const waiting = await settled(() => state.sent)
        assert.isBelow(waiting, total / 4)
        assert.isAtLeast(await readAll(content), total)
      })
    })

    it("ends at the provider when its reader gives it up", async () => {
      const { state, listener } = sending()
      await withServer(listener, async (baseUrl) => {
        const content = await openedAt(baseUrl)
        await content.cancel()
        await settled(() => Number(state.isClosed))
        assert.isTrue(state.isClosed)
        assert.isBelow(state.sent, total)
      })
    })

    it("breaks off where it is too large, late, or cut", async () => {
      const broken = async (content: Promise<ReadableStream<Uint8Array>>): Promise<void> => {
        const failed = await readAll(await content).then(
          () => false,
          () => true
        )
        assert.isTrue(failed)
      }
      await withServer(sending().listener, (baseUrl) => broken(openedAt(baseUrl, { maxDownloadBytes: total / 2 })))
      const begun: RequestListener = (_, response) => void response.writeHead(200).write("a")
      await withServer(begun, (baseUrl) => broken(openedAt(baseUrl, { downloadTimeoutMillis: 200 })))
      const cut: RequestListener = (_, response) => {
        response.writeHead(200, { "content-length": "1000" }).write("a")
        setImmediate(() => response.destroy())
      }
      await withServer(cut, (baseUrl) => broken(openedAt(baseUrl)))
    })

    it("whose first byte never comes is given up like any other answer", async () => {
      await withServer(
        () => {},
        async (baseUrl) => {
          const files = makeProviderFiles({ fetch: fetch as Fetch, baseUrls: { openai: baseUrl }, timeoutMillis: 50 })
          assert.isTrue(isFailed(await Effect.runPromiseExit(files.content(access(), "file-1"))))
        }
      )
    })
  })
})
