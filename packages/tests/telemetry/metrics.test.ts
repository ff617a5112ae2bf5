/** Metrics in Prometheus' format: they count what happened, and two thousand different requests make no more series than one. */
import { afterAll, assert, beforeAll, describe, it, vi } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { Agent, request } from "node:http"
import { managementKey, type ServerProcess, startServerProcess } from "@gatewarden/testkit/server/serverProcess"

const authorization = `Bearer ${managementKey}`

interface Sample {
  readonly name: string
  readonly labels: string
  readonly value: number
}

const samplesIn = (text: string): readonly Sample[] =>
  text
    .split("\n")
    .filter((line) => line !== "" && !line.startsWith("#"))
    .map((line) => {
      const parts =
        /^([a-zA-Z_:][\w:]*)(\{(?:[a-zA-Z_]\w*="(?:[^"\\\n]|\\.)*",?)*\})? (NaN|[+-]?(?:Inf|[\d.]+(?:e[+-]?\d+)?))$/.exec(
          line
        )
      if (parts === null) throw new Error(`not in the text format: ${line}`)
      const [, name = "", labels = "", value = ""] = parts
      return { name, labels, value: Number(value) }
    })

describe("metrics", () => {
  let server: ServerProcess
  const agent = new Agent({ keepAlive: true, maxSockets: 16 })

  beforeAll(async () => {
    server = await startServerProcess({ environment: { GATEWARDEN_METRICS: "1", GATEWARDEN_METRICS_PORT: "0" } })
  })
  afterAll(async () => {
    agent.destroy()
    await server.stop()
  })

  const call = (method: string, path: string, body?: string): Promise<number> =>
    new Promise((resolve, reject) => {
      const headers = { authorization, ...(body === undefined ? {} : { "content-type": "application/json" }) }
      const sent = request(new URL(path, server.url), { method, agent, headers }, (response) => {
        response.resume()
        response.once("end", () => resolve(response.statusCode ?? 0))
      })
      sent.once("error", reject)
      sent.end(body)
    })

  const scrape = async (): Promise<readonly Sample[]> => {
    const response = await fetch(new URL("/metrics", server.url))
    assert.strictEqual(response.status, 200)
    assert.strictEqual(response.headers.get("content-type"), "text/plain; version=0.0.4; charset=utf-8")
    return samplesIn(await response.text())
  }

  const valueOf = (samples: readonly Sample[], name: string, ...labels: readonly string[]): number =>
    samples
      .filter((sample) => sample.name === name && labels.every((label) => sample.labels.includes(label)))
      .reduce((sum, { value }) => sum + value, 0)

  it("count requests by method, route and status, in a histogram of seconds", async () => {
    assert.strictEqual(await call("GET", "/api/v1/workspaces/default"), 200)
    assert.strictEqual(await call("GET", "/api/v1/workspaces/nowhere"), 404)
    const samples = await scrape()
    const labels = ['http_request_method="GET"', 'http_route="/api/v1/workspaces/:id"'] as const
    const duration = "http_server_request_duration_seconds"
    assert.strictEqual(valueOf(samples, `${duration}_count`, ...labels, 'http_response_status_code="200"'), 1)
    assert.strictEqual(valueOf(samples, `${duration}_count`, ...labels, 'http_response_status_code="404"'), 1)
    assert.strictEqual(valueOf(samples, `${duration}_bucket`, ...labels, 'code="200"', 'le="+Inf"'), 1)
    assert.strictEqual(valueOf(samples, "http_server_active_requests"), 0)
  })

  it("count usage events and refusals for their rate", async () => {
    const event = (id: string) => ({
      id,
      created_at: new Date().toISOString(),
      model: "a/b",
      provider: "openai",
      prompt_tokens: 1,
      completion_tokens: 1,
      cost_usd: "0"
    })
    const events = JSON.stringify({ events: [event("one"), event("two")] })
    for (let times = 0; times < 2; times++)
      assert.strictEqual(await call("POST", "/api/v1/gateway/usage-events", events), 200)
    let refused = 0
    for (let times = 0; times < 32; times++)
      if ((await call("GET", "/api/v1/datasets/rankings-daily")) === 429) refused++
    const samples = await scrape()
    assert.strictEqual(valueOf(samples, "gatewarden_usage_events_total", 'outcome="accepted"'), 2)
    assert.strictEqual(valueOf(samples, "gatewarden_usage_events_total", 'outcome="duplicates"'), 2)
    assert.strictEqual(refused, 2)
    assert.strictEqual(valueOf(samples, "gatewarden_rate_limited_total"), refused)
  })

  it("count admissions by what was decided", async () => {
    const admission = JSON.stringify({ api_key_hash: "0".repeat(64), model: "a/b" })
    for (let times = 0; times < 3; times++)
      assert.strictEqual(await call("POST", "/api/v1/gateway/admissions", admission), 200)
    const samples = await scrape()
    assert.strictEqual(valueOf(samples, "gatewarden_admissions_total", 'decision="deny"', 'scope="key"'), 3)
    assert.strictEqual(valueOf(samples, "gatewarden_admissions_total", 'decision="allow"'), 0)
  })

  it("count deliveries by type and outcome", async () => {
    const destination = JSON.stringify({ type: "webhook", config: { url: "https://destination.invalid/hook" } })
    assert.strictEqual(await call("POST", "/api/v1/observability/destinations", destination), 200)
    const event = { id: "delivered", created_at: new Date().toISOString(), model: "a/b", provider: "openai" }
    const events = JSON.stringify({ events: [{ ...event, prompt_tokens: 1, completion_tokens: 1, cost_usd: "0" }] })
    assert.strictEqual(await call("POST", "/api/v1/gateway/usage-events", events), 200)
    await vi.waitFor(
      async () => {
        const labels = ['type="webhook"', 'outcome="failed"'] as const
        assert.isAtLeast(valueOf(await scrape(), "gatewarden_delivery_attempts_total", ...labels), 1)
      },
      { timeout: 30_000, interval: 200 }
    )
  }, 60_000)

  it("tell what runs and what it costs", async () => {
    const samples = await scrape()
    assert.strictEqual(valueOf(samples, "gatewarden_build_info", `node="${process.version}"`), 1)
    assert.isAbove(valueOf(samples, "process_resident_memory_bytes"), 10_000_000)
    assert.isAtLeast(valueOf(samples, "nodejs_eventloop_lag_seconds", 'quantile="0.99"'), 0)
    // As Prometheus' own libraries name it, so that dashboards find it
    const spent = valueOf(samples, "process_cpu_seconds_total")
    assert.isAbove(spent, 0)
    const later = valueOf(await scrape(), "process_cpu_seconds_total")
    assert.isAtLeast(later, spent)
    assert.isBelow(later - spent, 5)
  })

  it("have as many series after two thousand different requests as after a few", { tags: ["deep"] }, async () => {
    const different = [
      () => call("GET", `/api/v1/guardrails/${randomUUID()}`),
      () => call("GET", `/api/v1/presets/${randomUUID()}`),
      () => call("GET", `/api/v1/workspaces/${randomUUID()}`),
      () => call("GET", `/${randomUUID()}/${randomUUID()}?${randomUUID()}`),
      () => call(`M${randomUUID().replaceAll("-", "").replaceAll(/\d/g, "x")}`, "/api/v1/byok").catch(() => 0)
    ]
    const send = async (count: number) => {
      let left = count
      const worker = async () => {
        while (left-- > 0) await different[left % different.length]?.()
      }
      await Promise.all(Array.from({ length: 16 }, worker))
    }
    await send(50)
    await scrape()
    const before = await scrape()
    await send(2_000)
    const after = await scrape()
    assert.deepStrictEqual(
      after.map(({ name, labels }) => name + labels).sort(),
      before.map(({ name, labels }) => name + labels).sort()
    )
    const count = "http_server_request_duration_seconds_count"
    assert.isAtLeast(valueOf(after, count) - valueOf(before, count), 1_600)
  })

  it("have a port of their own, too", async () => {
    const url = /"metrics":"([^"]+)"/.exec(server.stderr())?.[1]
    const response = await fetch(url ?? "")
    assert.strictEqual(response.status, 200)
    assert.isAbove(samplesIn(await response.text()).length, 10)
    assert.strictEqual((await fetch(new URL("/api/v1/workspaces/default", url))).status, 404)
  })

  it("are nowhere unless they are asked for", async () => {
    const other = await startServerProcess()
    assert.strictEqual((await fetch(new URL("/metrics", other.url))).status, 404)
    await other.stop()
  })
})
