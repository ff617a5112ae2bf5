/** What arrives too slowly is answered in the gateway's form, and its connection closed: on the server, and behind a host. */
import { assert, describe, it } from "@effect/vitest"
import { defaultBodyLimits, defaultSettings, layerMemory, newKeyring, parseKeyring } from "@gatewarden/core/effect"
import { Effect, Redacted } from "effect"
import { nodeEntropy } from "../../../node/src/platform/layerPlatform.ts"
import { startServer } from "../../../node/src/server/startServer.ts"
import { rawConnection } from "../../cli/gatewarden.ts"

const managementKey = "slow-requests-management-key-0123456789"

const start = Effect.gen(function* () {
  const parsed = parseKeyring(Redacted.value(newKeyring("test", nodeEntropy.bytes)))
  if ("problem" in parsed) return yield* Effect.die(new Error(parsed.problem))
  const { url } = yield* startServer({
    store: layerMemory,
    keyring: parsed.keyring,
    managementKey: Redacted.make(managementKey),
    settings: { ...defaultSettings, bodies: { ...defaultBodyLimits, graceMillis: 100 } },
    headersTimeout: 100,
    host: "127.0.0.1",
    port: 0
  })
  return Number(new URL(url).port)
})

/** Sends a beginning and waits until the server has closed the connection. */
const beginning = (port: number, text: string) =>
  Effect.promise(() => {
    const connection = rawConnection(port)
    connection.send(text)
    return connection.end
  })

const post = (path: string, headers: string) =>
  `POST /api/v1${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${managementKey}\r\n${headers}\r\n\r\n`

const assertTimedOut = (answer: string) => {
  assert.match(answer, /^HTTP\/1\.1 408 Request Timeout\r\n[^]*connection: close\r\n/i)
  const { error } = JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4)) as { error: Record<string, unknown> }
  assert.deepInclude(error, { code: 408, message: "Operation timed out. Please try again later." })
  assert.deepInclude(error["metadata"], { reason: "request_timeout" })
}

describe("a request that arrives too slowly", () => {
  const json = "Content-Type: application/json\r\n"
  const file = "Content-Type: multipart/form-data; boundary=edge\r\n"
  const part = '--edge\r\nContent-Disposition: form-data; name="file"; filename="a.txt"\r\n\r\nabc'
  const bodies: readonly (readonly [string, string, string, string])[] = [
    ["a short body", "/guardrails", `${json}Content-Length: 20`, '{"name":'],
    ["a long body", "/gateway/usage-events", `${json}Content-Length: 100000`, '{"events":['],
    ["a body of no announced length", "/guardrails", `${json}Transfer-Encoding: chunked`, '8\r\n{"name":\r\n'],
    ["lines", "/gateway/usage-events", "Content-Type: application/x-ndjson\r\nContent-Length: 100000", '{"id":'],
    ["a form's head", "/files", `${file}Content-Length: 90000000`, "--edge\r\n"],
    ["a file", "/files", `${file}Content-Length: 90000000`, part]
  ]
  for (const [name, path, headers, begun] of bodies)
    it.live(`is 408: ${name}`, () =>
      Effect.gen(function* () {
        assertTimedOut(yield* beginning(yield* start, post(path, headers) + begun))
      })
    )

  it.live("is 408: headers", () =>
    Effect.gen(function* () {
      assertTimedOut(yield* beginning(yield* start, "GET /api/v1/guardrails HTTP/1.1\r\nHost: x\r\nX-Slow: "))
    })
  )

  it.live("is 401 without a key, however slow", () =>
    Effect.gen(function* () {
      const port = yield* start
      const connection = rawConnection(port)
      connection.send(`POST /api/v1/files HTTP/1.1\r\nHost: x\r\n${file}Content-Length: 90000000\r\n\r\n--edge`)
      assert.match(yield* Effect.promise(() => connection.until((answer) => answer.includes("}}"))), /^HTTP\/1\.1 401 /)
      connection.destroy()
    })
  )
})
