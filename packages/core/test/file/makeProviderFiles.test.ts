/** Against a real HTTP server on loopback. What a well or unwell provider answers is the HTTP suite's; here are time and size. */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Redacted, Stream } from "effect"
import { createServer, type RequestListener } from "node:http"
import type { Fetch } from "../../src/platform/Fetch.ts"
import { makeProviderFiles } from "../../src/file/makeProviderFiles.ts"

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
})
