/** The reference gateway has what the server has: its variables, probes, pages, logs, traces, checks, and its way to stop. */
import { afterAll, assert, beforeAll, beforeEach, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { request as send } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { callServer } from "@gatewarden/testkit/server/callServer"
import { eventually } from "@gatewarden/testkit/server/eventually"
import { serverFleet } from "@gatewarden/testkit/server/serverFleet"
import { commandLine, gateway as program, type ServerProcess } from "@gatewarden/testkit/server/serverProcess"
import { startTraceCollector } from "@gatewarden/testkit/telemetry/traceCollector"
import {
  type ChatUpstream,
  completes,
  delta,
  sendEvent,
  startChatUpstream,
  startStream
} from "@gatewarden/testkit/upstream/chatUpstream"
import { deferred } from "./deferred.ts"

const { launch, start } = serverFleet()
const usage = { prompt_tokens: 1_000, completion_tokens: 1_000 }

let upstream: ChatUpstream
let directory: string
beforeAll(async () => {
  upstream = await startChatUpstream()
  directory = await mkdtemp(join(tmpdir(), "gatewarden-gateway-"))
})
beforeEach(() => upstream.plays("openai", completes("hi", usage)))
afterAll(async () => {
  await upstream?.close()
  await rm(directory, { recursive: true, force: true })
})

const options = (environment: Readonly<Record<string, string>> = {}) => ({
  program,
  environment: {
    GATEWAY_UPSTREAMS: JSON.stringify({
      openai: { base_url: upstream.baseUrl("openai") },
      "openai/eu": { base_url: upstream.baseUrl("openai"), api_key: "sk-eu-0123456789" }
    }),
    OPENAI_API_KEY: "sk-shared-openai-0123456789",
    ...environment
  }
})

const newKey = async ({ url }: ServerProcess): Promise<string> => {
  const { json } = await callServer(url, "POST", "/keys", { body: { name: "app", limit: 1 } })
  return json.key as string
}

const prompt = "a prompt that nobody logs"
const bodyOf = (fields: object = {}) =>
  JSON.stringify({
    model: "openai/gpt-4o-mini",
    max_tokens: 10,
    messages: [{ role: "user", content: prompt }],
    ...fields
  })

const ask = ({ url }: ServerProcess, headers: Readonly<Record<string, string>>, fields: object = {}, query = "") =>
  fetch(`${url}/chat/completions${query}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: bodyOf(fields)
  })

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

const linesOf = (text: string) => text.split("\n").filter((line) => line !== "")

describe("a variable", () => {
  /** Every variable that the reference names. */
  const page = readFileSync(fileURLToPath(new URL("../../../docs/reference/variables.md", import.meta.url)), "utf8")
  const names = [...page.matchAll(/^\| `([A-Z][A-Z0-9_]+)` \|/gm)].flatMap(([, name]) => name ?? [])

  it("that the server refuses, the gateway refuses in the same words", async () => {
    assert.isAbove(names.length, 40)
    const environment = Object.fromEntries(names.map((name) => [name, "\u0001 /"]))
    const [served, started] = await Promise.all([launch({ environment }), launch(options(environment))])
    const codes = [await served.ended, await started.ended]
    assert.deepStrictEqual(codes, [78, 78])
    assert.deepStrictEqual(linesOf(started.stderr()), linesOf(served.stderr()))
    // Most are checked, so what a line names was read.
    assert.isAbove(linesOf(started.stderr()).length, 30)
  })

  it("that nobody knows is named", async () => {
    const started = await start(options({ GATEWARDEN_PROT: "1" }))
    assert.include(started.stderr(), "GATEWARDEN_PROT is not a variable of Gatewarden; did you mean PORT?")
  })

  it("GATEWARDEN_REGION_HOSTS decides by Host where a model request may go", async () => {
    const started = await start(options({ GATEWARDEN_REGION_HOSTS: "eu.example=europe" }))
    const { json } = await callServer(started.url, "GET", "/workspaces/default")
    await callServer(started.url, "PATCH", `/guardrails/${json.data.default_guardrail_id}`, {
      body: { allowed_data_regions: ["europe"] }
    })
    const key = await newKey(started)
    /** `fetch` sends no other Host. */
    const through = (host: string) =>
      new Promise<number | undefined>((resolve, reject) => {
        const headers = { host, "content-type": "application/json", ...bearer(key) }
        const sent = send(`${started.url}/chat/completions`, { method: "POST", headers }, (answer) => {
          answer.resume()
          resolve(answer.statusCode)
        })
        sent.once("error", reject).end(bodyOf())
      })
    assert.deepStrictEqual([await through("eu.example"), await through("us.example")], [200, 403])
    assert.deepStrictEqual(await Promise.all(["eu.example", "us.example", "eu.example"].map(through)), [200, 403, 200])
  })

  it("GATEWARDEN_BASE_PATH and GATEWARDEN_DOC_URL say where everything is", async () => {
    const docs = "https://docs.example/errors#"
    const started = await start(options({ GATEWARDEN_BASE_PATH: "/", GATEWARDEN_DOC_URL: docs }))
    const url = new URL("/chat/completions", started.url)
    const answer = await fetch(url, { method: "POST", body: bodyOf() })
    assert.strictEqual(answer.status, 401)
    assert.nestedPropertyVal(await answer.json(), "error.metadata.doc_url", `${docs}missing_authentication`)
  })

  it("OTEL_EXPORTER_OTLP_ENDPOINT sends a span of the request, which decisions belong to", async () => {
    const collector = await startTraceCollector()
    const started = await start(
      options({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" })
    )
    const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
    const traceparent = `00-${traceId}-00f067aa0ba902b7-01`
    assert.strictEqual((await ask(started, { ...bearer(await newKey(started)), traceparent })).status, 200)
    assert.strictEqual(await started.stop(), 0)
    await collector.stop()
    const spans = collector.spans().filter((span) => span.traceId === traceId)
    const request = spans.find(({ parentSpanId }) => parentSpanId === "00f067aa0ba902b7")
    assert.strictEqual(request?.name, "POST /api/v1/chat/completions")
    assert.strictEqual(Number(request?.attributes["http.response.status_code"]), 200)
    const children = spans.filter(({ parentSpanId }) => parentSpanId === request?.spanId).map(({ name }) => name)
    assert.includeMembers(children, ["admit"])
    assert.notInclude(JSON.stringify(collector.spans()), prompt)
  })
})

describe("the gateway's process", () => {
  it("has probes, the API page and metrics, and counts model requests", async () => {
    const started = await start(options({ GATEWARDEN_METRICS: "1" }))
    assert.strictEqual((await ask(started, bearer(await newKey(started)))).status, 200)
    for (const path of ["/livez", "/readyz", "/docs", "/metrics"])
      assert.strictEqual((await fetch(new URL(path, started.url))).status, 200, path)
    const metrics = await (await fetch(new URL("/metrics", started.url))).text()
    assert.match(
      metrics,
      /http_server_request_duration_seconds_count\{http_request_method="POST",http_route="\/api\/v1\/chat\/completions",http_response_status_code="200"\} 1/
    )
    assert.match(metrics, /gatewarden_admissions_total\{decision="allow",scope=""\} 1/)
  })

  it("logs a line for each request, without key, body and query", async () => {
    const started = await start(options())
    const key = await newKey(started)
    assert.strictEqual((await ask(started, { ...bearer(key), "x-request-id": "mine" }, {}, "?q=hidden")).status, 200)
    const refused = await ask(started, {})
    assert.strictEqual(refused.status, 401)
    const printed = await eventually("two lines", async () => {
      const lines = linesOf(started.stderr()).flatMap((line) => (line.includes("/chat/completions") ? [line] : []))
      return lines.length < 2 ? undefined : lines.map((line) => JSON.parse(line) as object)
    })
    const line = { level: "info", message: "request", method: "POST", route: "/api/v1/chat/completions" }
    assert.include(printed[0], { ...line, request_id: "mine", status: 200 })
    assert.include(printed[1], { ...line, request_id: refused.headers.get("x-request-id"), status: 401 })
    for (const value of printed) assert.isNumber((value as { readonly duration_ms: unknown }).duration_ms)
    // What the server answers beside it, what the gateway answers of its own, and probes, which are not worth a line.
    for (const path of ["models/acme/hidden", "key", "threads/hidden"])
      await fetch(`${started.url}/${path}`, { headers: bearer(key) })
    await fetch(new URL("/livez", started.url))
    const others = await eventually("three lines", async () => {
      const lines = linesOf(started.stderr()).filter((each) => each.includes('"method":"GET"'))
      return lines.length < 3
        ? undefined
        : lines.map((each) => JSON.parse(each) as { readonly status: number; readonly route?: string })
    })
    assert.deepStrictEqual(
      others.map(({ status }) => status),
      [404, 200, 404]
    )
    assert.strictEqual(others[1]?.route, "/api/v1/key")
    for (const secret of [key, prompt, "hidden"]) assert.notInclude(started.stderr(), secret)
  })

  it("takes a key from x-api-key, unless there is an Authorization", async () => {
    const started = await start(options())
    const key = await newKey(started)
    assert.strictEqual((await ask(started, { "x-api-key": key })).status, 200)
    assert.strictEqual((await ask(started, { "x-api-key": key, authorization: "Bearer nobody" })).status, 401)
    assert.strictEqual(
      (await callServer(started.url, "GET", "/key", { key: "", headers: { "x-api-key": key } })).status,
      401
    )
  })

  it("is what doctor finds healthy", async () => {
    const dataDirectory = join(directory, "healthy")
    const started = await start({ ...options({ DATABASE_URL: "" }), dataDirectory })
    const { stdout } = await promisify(execFile)(process.execPath, [commandLine, "doctor", "--json"], {
      env: { PATH: process.env["PATH"] ?? "", GATEWARDEN_DATA_DIR: dataDirectory, PORT: new URL(started.url).port }
    })
    const { ok, findings } = JSON.parse(stdout) as {
      readonly ok: boolean
      readonly findings: readonly { readonly check: string; readonly state: string; readonly detail: string }[]
    }
    assert.isTrue(ok, stdout)
    // The version of Node that runs the tests may be an old one.
    assert.deepStrictEqual(
      findings.filter(({ check, state }) => state !== "ok" && check !== "node"),
      []
    )
    assert.match(findings.find(({ check }) => check === "address")?.detail ?? "", /^a server answers at /)
  })

  const hasScript = process.platform === "linux" && existsSync("/usr/bin/script")

  it.runIf(hasScript)("shows on a terminal how to go on", async () => {
    const child = spawn("script", ["-qfec", `${process.execPath} ${program.command.join(" ")}`, "/dev/null"], {
      env: { PATH: process.env["PATH"] ?? "", PORT: "0", GATEWARDEN_DATA_DIR: join(directory, "terminal") },
      stdio: ["pipe", "pipe", "ignore"]
    })
    let shown = ""
    child.stdout.setEncoding("utf8").on("data", (text: string) => (shown += text))
    await eventually("the text", async () => (shown.includes("Ctrl-C stops it") ? true : undefined))
    const ended = once(child, "close")
    child.stdin.write("\u0003")
    await ended
    for (const part of [
      "npx gatewarden keys create --name my-app",
      "none has a key yet",
      "OPENAI_API_KEY, ",
      "/docs\r\n"
    ])
      assert.include(shown, part)
  })
})

describe("a gateway that is told to stop", () => {
  /** A stream that begins, and goes on when it is told to. */
  const streaming = async (environment: Readonly<Record<string, string>>) => {
    const go = deferred()
    upstream.plays("openai", async (_, response) => {
      startStream(response)
      sendEvent(response, delta("one"))
      await go.promise
      sendEvent(response, delta("two", "stop"))
      sendEvent(response, { id: "cmpl-1", object: "chat.completion.chunk", choices: [], usage })
      sendEvent(response, "[DONE]")
      response.end()
    })
    const dataDirectory = await mkdtemp(join(directory, "streaming-"))
    const started = await start({ ...options({ DATABASE_URL: "", ...environment }), dataDirectory })
    const key = await newKey(started)
    const answer = await ask(started, bearer(key), { stream: true })
    assert.strictEqual(answer.status, 200)
    return { started, key, answer, go, dataDirectory }
  }

  const usageOf = async (dataDirectory: string, key: string): Promise<number> => {
    const again = await start({ ...options({ DATABASE_URL: "" }), dataDirectory })
    const { json } = await callServer(again.url, "GET", "/key", { key })
    assert.strictEqual(await again.stop(), 0)
    return json.data.usage as number
  }

  it("finishes a stream and settles it, and refuses other requests meanwhile", async () => {
    const { started, key, answer, go, dataDirectory } = await streaming({ GATEWARDEN_DRAIN_DELAY_MS: "3000" })
    const stopped = started.stop()
    await eventually("draining", async () =>
      (await fetch(new URL("/readyz", started.url))).status === 503 ? true : undefined
    )
    const refused = await ask(started, bearer(key))
    assert.strictEqual(refused.status, 503)
    assert.strictEqual(refused.headers.get("retry-after"), "1")
    assert.nestedPropertyVal(await refused.json(), "error.metadata.reason", "draining")
    go.resolve()
    assert.match(await answer.text(), /two[^]*"cost"[^]*\[DONE\]/)
    assert.strictEqual(await stopped, 0)
    assert.closeTo(await usageOf(dataDirectory, key), 0.00075, 1e-9)
  })

  it("ends a stream that goes on for longer, and settles what has arrived of it", async () => {
    const { started, key, answer, go, dataDirectory } = await streaming({ GATEWARDEN_DRAIN_TIMEOUT_MS: "100" })
    const rest = answer.text().catch(() => "broken off")
    assert.strictEqual(await started.stop(), 0)
    assert.strictEqual(await rest, "broken off")
    go.resolve()
    assert.isAbove(await usageOf(dataDirectory, key), 0)
  })
})
