import { assert, describe, it } from "@effect/vitest"
import { compileFilters } from "../../../core/src/filter/CompiledFilters.ts"
import { Detector, presidioDetector } from "@gatewarden/core/effect"
import { scanMessages } from "../../../core/src/filter/scanMessages.ts"
import { unrestricted } from "@gatewarden/core/store"
import { Effect } from "effect"
import { readFile } from "node:fs/promises"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { guardedFetch } from "../../src/outgoing/guardedFetch.ts"

interface Fixtures {
  readonly cases: readonly {
    readonly request: { readonly text: string }
    readonly response: unknown
    readonly redacted: string
  }[]
  readonly failures: readonly { readonly status: number; readonly body: string }[]
}

const fixtures = Effect.promise(
  async () => JSON.parse(await readFile(new URL("./presidio.json", import.meta.url), "utf8")) as Fixtures
)

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  let body = ""
  for await (const chunk of request.setEncoding("utf8")) body += String(chunk)
  return body
}

/** An analyzer on loopback, for as long as the scope is open. */
const analyzer = (answer: (body: unknown, request: IncomingMessage, response: ServerResponse) => void) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        const server = createServer((request, response) => {
          void bodyOf(request).then((body) => answer(JSON.parse(body), request, response))
        })
        await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
        return server
      }),
      (server) =>
        Effect.promise(() => {
          server.closeAllConnections()
          return new Promise((resolve) => server.close(resolve))
        })
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  )

const filters = compileFilters([
  {
    scope: "key",
    guardrail: {
      id: "7f2a9c1e-53f8-4bd8-9a55-1c0d6e8f4b21",
      workspace_id: "0b6f4e9a-3f0e-4a5b-9d3c-6c1f2f0a7e11",
      name: "any",
      ...unrestricted,
      content_filter_builtins: [
        { slug: "person-name", action: "redact", label: "[PERSON_NAME]" },
        { slug: "address", action: "redact", label: "[ADDRESS]" }
      ],
      created_at: "2026-01-01T00:00:00.000Z",
      updated_at: null
    }
  }
])

const scan = (url: string, text: string, timeoutMillis = 5_000) =>
  Effect.provideService(
    scanMessages(filters, [{ role: "user", content: text }], { reversible: false }),
    Detector,
    presidioDetector({ url, timeoutMillis, fetch: guardedFetch({ allowPrivate: true }) })
  )

const unavailable = { filter: "person-name", reason: "detector_unavailable" }

describe("presidioDetector", () => {
  it.live("asks as the analyzer's schema says, and redacts what it answers", () =>
    Effect.gen(function* () {
      const { cases } = yield* fixtures
      for (const { request: expected, response: answer, redacted } of cases) {
        let asked: unknown
        const url = yield* analyzer((body, { method, url: path }, response) => {
          asked = { method, path, body }
          response.setHeader("content-type", "application/json").end(JSON.stringify(answer))
        })
        const { messages } = yield* scan(url, expected.text)
        assert.deepEqual(asked, { method: "POST", path: "/analyze", body: expected })
        assert.strictEqual(messages[0]?.content, redacted)
      }
    }).pipe(Effect.scoped)
  )

  it.live("refuses when the analyzer fails or makes no sense", () =>
    Effect.gen(function* () {
      const { failures } = yield* fixtures
      for (const { status, body } of failures) {
        const url = yield* analyzer((_, __, response) => response.writeHead(status).end(body))
        const { refusal, messages } = yield* scan(url, "Jane lives here")
        assert.deepEqual(refusal?.metadata, unavailable, body)
        assert.isEmpty(messages)
      }
    }).pipe(Effect.scoped)
  )

  it.live("refuses when the analyzer does not answer, or is not there", () =>
    Effect.gen(function* () {
      const silent = yield* analyzer(() => {})
      assert.deepEqual((yield* scan(silent, "Jane lives here", 50)).refusal?.metadata, unavailable)
      const gone = yield* Effect.scoped(analyzer(() => {}))
      assert.deepEqual((yield* scan(gone, "Jane lives here")).refusal?.metadata, unavailable)
    }).pipe(Effect.scoped)
  )
})
