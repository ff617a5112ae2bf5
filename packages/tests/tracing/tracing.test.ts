/** A client's call, the operation and its SQL are one trace at the collector that the standard variables name. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { inject } from "vitest"
import { managementKey, startServerProcess } from "@gatewarden/testkit/server/serverProcess"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import {
  type CollectedSpan,
  startTraceCollector,
  type TraceCollector
} from "@gatewarden/testkit/telemetry/traceCollector"

const keyring = `k1:${Buffer.alloc(32, 7).toString("base64")}`
const authorization = `Bearer ${managementKey}`
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const callerSpan = "00f067aa0ba902b7"
const [serverKind, clientKind] = [2, 3]

const serverOn = async (collector: TraceCollector, environment: Readonly<Record<string, string>>) =>
  startServerProcess({
    environment: {
      DATABASE_URL: await createMigratedDatabase(inject("postgres")),
      GATEWARDEN_KEYRING: keyring,
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
      OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
      ...environment
    }
  })

const createGuardrail = (url: string, headers: Readonly<Record<string, string>>, body: unknown = { name: "Traced" }) =>
  fetch(`${url}/guardrails`, {
    method: "POST",
    headers: { authorization, "content-type": "application/json", ...headers },
    body: JSON.stringify(body)
  })

const sampledParent = { traceparent: `00-${traceId}-${callerSpan}-01`, tracestate: "vendor=opaque" }

describe("traces", () => {
  let collector: TraceCollector
  let spans: readonly CollectedSpan[] = []
  let metrics = ""

  beforeAll(async () => {
    collector = await startTraceCollector()
    const server = await serverOn(collector, {
      GATEWARDEN_METRICS: "1",
      OTEL_SERVICE_NAME: "warden-under-test",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=tests,k8s.pod.name=a%20b",
      OTEL_EXPORTER_OTLP_HEADERS: "x-collector-key=c0llect0r"
    })
    const statuses = [
      await createGuardrail(server.url, sampledParent),
      await fetch(`${server.url}/guardrails/${randomUUID()}`, {
        headers: { authorization, traceparent: `00-${"a".repeat(32)}-${callerSpan}-01` }
      }),
      await fetch(`${server.url}/no/such/hidden-path?key=hidden-query`),
      await fetch(new URL("/livez", server.url)),
      await fetch(new URL("/readyz", server.url)),
      await createGuardrail(server.url, { traceparent: `00-${"b".repeat(32)}-${callerSpan}-00` }),
      await createGuardrail(server.url, { traceparent: "00-nonsense-01" })
    ].map(({ status }) => status)
    assert.deepStrictEqual(statuses, [200, 404, 404, 200, 200, 200, 200])
    metrics = await (await fetch(new URL("/metrics", server.url))).text()
    assert.strictEqual(await server.stop(), 0)
    await collector.stop()
    spans = collector.spans()
  })

  const traced = (id: string) => spans.filter((span) => span.traceId === id)
  const serverSpans = () => spans.filter(({ kind }) => kind === serverKind)
  const one = (found: readonly CollectedSpan[], what: (span: CollectedSpan) => boolean): CollectedSpan => {
    const [span, ...more] = found.filter(what)
    if (span === undefined) throw new Error(`no such span among ${found.map(({ name }) => name).join(", ")}`)
    assert.lengthOf(more, 0)
    return span
  }

  it("go from the caller's span by the operation down to SQL", () => {
    const ours = traced(traceId)
    const request = one(ours, ({ parentSpanId }) => parentSpanId === callerSpan)
    assert.strictEqual(request.name, "POST /api/v1/guardrails")
    assert.strictEqual(request.kind, serverKind)
    assert.include(request.attributes, {
      "http.request.method": "POST",
      "http.route": "/api/v1/guardrails",
      "http.response.status_code": 200
    })
    const operation = one(ours, ({ name }) => name === "createGuardrail")
    const statements = ours.filter(({ attributes }) => "db.query.text" in attributes)
    const byId = new Map(ours.map((span) => [span.spanId, span]))
    const above = (span: CollectedSpan): readonly CollectedSpan[] => {
      const parent = byId.get(span.parentSpanId ?? "")
      return parent === undefined ? [] : [parent, ...above(parent)]
    }
    assert.include(above(operation), request)
    const inserted = statements.filter((span) => above(span).includes(operation))
    assert.isAbove(inserted.length, 0)
    for (const span of statements) {
      assert.strictEqual(span.kind, clientKind)
      assert.include(above(span), request)
      assert.strictEqual(span.attributes["db.system.name"], "postgresql")
      assert.notStrictEqual(Number(span.attributes["server.port"]), 5432)
      assert.notInclude(JSON.stringify(span), "Traced")
    }
  })

  it("say who sent them", () => {
    assert.include(spans[0]?.resource, {
      "service.name": "warden-under-test",
      "deployment.environment.name": "tests",
      "k8s.pod.name": "a b"
    })
    for (const { path, headers } of collector.requests) {
      assert.strictEqual(path, "/v1/traces")
      assert.strictEqual(headers["x-collector-key"], "c0llect0r")
    }
  })

  it("have nothing of a target but its route", () => {
    one(serverSpans(), ({ name, attributes }) => name === "GET" && attributes["http.response.status_code"] === 404)
    assert.notInclude(JSON.stringify(spans), "hidden-")
    assert.notInclude(JSON.stringify(spans), managementKey)
  })

  it("take a refusal for no failure", () => {
    const refused = traced("a".repeat(32))
    one(refused, ({ attributes }) => attributes["error.type"] === "NotFound")
    for (const { status, events } of refused) {
      assert.notStrictEqual(status.code, 2)
      assert.deepStrictEqual(events, [])
    }
  })

  it("follow the caller's word about sampling, and begin anew where it makes none", () => {
    assert.lengthOf(traced("b".repeat(32)), 0)
    const anew = serverSpans().filter(({ parentSpanId, name }) => parentSpanId === undefined && name.startsWith("POST"))
    assert.lengthOf(anew, 1)
  })

  it("are what statements and waits for connections are measured by, sampled or not", () => {
    assert.match(metrics, /^db_client_operation_duration_seconds_count\{db_operation_name="insert"\} [1-9]/m)
    assert.match(metrics, /^db_client_connection_wait_time_seconds_count [1-9]/m)
    assert.match(metrics, /^http_server_request_duration_seconds_count\{.*status_code="200"\} 3$/m)
  })

  it("have no probes, and no statement of a probe", () => {
    assert.notInclude(JSON.stringify(spans), "readyz")
    assert.notInclude(
      spans.map(({ attributes }) => attributes["db.query.text"]),
      "select 1"
    )
  })
})

describe("the collector", () => {
  let collector: TraceCollector
  beforeAll(async () => void (collector = await startTraceCollector()))
  afterAll(() => collector.stop())

  it("gets protobuf unless told otherwise, at the end at the latest", { tags: ["deep"] }, async () => {
    const server = await serverOn(collector, { DATABASE_URL: "memory:", OTEL_EXPORTER_OTLP_PROTOCOL: "" })
    await createGuardrail(server.url, sampledParent)
    await server.stop()
    const [sent] = collector.requests
    assert.strictEqual(sent?.headers["content-type"], "application/x-protobuf")
    assert.isAbove(sent?.bytes ?? 0, 100)
  })

  it.each([{ OTEL_SDK_DISABLED: "true" }, { OTEL_TRACES_EXPORTER: "none" }, { OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" }])(
    "gets nothing with %j",
    async (environment: Readonly<Record<string, string>>) => {
      const before = collector.requests.length
      const server = await serverOn(collector, { DATABASE_URL: "memory:", ...environment })
      await createGuardrail(server.url, sampledParent)
      assert.strictEqual(await server.stop(), 0)
      assert.lengthOf(collector.requests, before)
      const [unusable] = Object.keys(environment).filter((name) => name.endsWith("PROTOCOL"))
      if (unusable === undefined) assert.notInclude(server.stderr(), "warning")
      else assert.include(server.stderr(), `warning: ${unusable}`)
    }
  )

  it("may be down", async () => {
    const server = await serverOn(collector, {
      DATABASE_URL: "memory:",
      OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9"
    })
    assert.strictEqual((await createGuardrail(server.url, sampledParent)).status, 200)
    assert.strictEqual(await server.stop(), 0)
  })
})
