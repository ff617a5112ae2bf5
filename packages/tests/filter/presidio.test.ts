import { assert, describe, it } from "@effect/vitest"
import { compileFilters } from "../../core/src/filter/CompiledFilters.ts"
import { Detector, presidioDetector, unrestricted } from "@gatewarden/core/internal"
import { scanMessages } from "../../core/src/filter/scanMessages.ts"
import { pglite } from "@gatewarden/postgres/pglite"
import { Deferred, Effect } from "effect"
import { readFile } from "node:fs/promises"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { catalogEndpoint, catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import { createGatewarden } from "../../node/src/index.ts"
import { guardedFetch } from "../../node/src/outgoing/guardedFetch.ts"
import { keyring } from "../cli/gatewarden.ts"

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

const unavailable = { filter: "person-name", failure: "detector_unavailable" }

const model = { ...catalogModel("acme/sonnet"), endpoints: [catalogEndpoint("openai")] }

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

  it.live(
    "is asked while no transaction is open, also for a request with an Idempotency-Key",
    () =>
      Effect.gen(function* () {
        const read = yield* Deferred.make<number>()
        // The embedded store has one connection: beside an open transaction, this read would wait.
        const url = yield* analyzer((_, __, response) => {
          void send("GET", "/guardrails").then(({ status }) => {
            Deferred.doneUnsafe(read, Effect.succeed(status))
            response.setHeader("content-type", "application/json").end("[]")
          })
        })
        const managementKey = `test-${"m".repeat(40)}`
        const gatewarden = yield* Effect.acquireRelease(
          Effect.promise(() =>
            createGatewarden({
              store: pglite(),
              keyring,
              managementKey,
              presidio: { url, fetch: guardedFetch({ allowPrivate: true }) }
            })
          ),
          (instance) => Effect.promise(() => instance.close())
        )
        const send = async (method: string, path: string, body?: object, headers: Record<string, string> = {}) => {
          const answer = await gatewarden.fetch(
            new Request(`http://host${gatewarden.basePath}${path}`, {
              method,
              headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json", ...headers },
              ...(body === undefined ? {} : { body: JSON.stringify(body) })
            })
          )
          return { status: answer.status, body: (await answer.json()) as { readonly data: Record<string, unknown> } }
        }
        const sent = (...asked: Parameters<typeof send>) => Effect.promise(() => send(...asked))
        yield* sent("PUT", "/gateway/catalog", { models: [model] })
        const key = yield* sent("POST", "/keys", { name: "app" })
        const api_key_hash = key.body.data["hash"]
        const builtins = [{ slug: "person-name", action: "redact" }]
        const guardrail = yield* sent("POST", "/guardrails", { name: "names", content_filter_builtins: builtins })
        yield* sent("POST", `/guardrails/${String(guardrail.body.data["id"])}/assignments/keys`, {
          key_hashes: [api_key_hash]
        })
        const asked = { api_key_hash, model: model.id, messages: [{ role: "user", content: "Jane lives here" }] }
        const admission = yield* sent("POST", "/gateway/admissions", asked, { "idempotency-key": "once" })
        assert.deepInclude(admission.body.data, { decision: "allow" })
        assert.strictEqual(yield* Deferred.await(read), 200)
        const again = yield* sent("POST", "/gateway/admissions", asked, { "idempotency-key": "once" })
        assert.strictEqual(again.body.data["id"], admission.body.data["id"])
      }).pipe(Effect.scoped),
    { tags: ["deep"] }
  )
})
