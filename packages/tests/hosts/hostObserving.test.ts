/** What an instance logs and traces goes to the host, and hangs where the host's own spans are. */
import * as openTelemetry from "@opentelemetry/api"
import { createGatewarden, type LogEntry, memory, type Store } from "@gatewarden/core"
import { makeStore } from "@gatewarden/core/store"
import { toNodeHandler } from "@gatewarden/node"
import { fromPool } from "@gatewarden/postgres"
import { migrations } from "@gatewarden/postgres/internal"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { inject } from "vitest"
import { breakable } from "@gatewarden/conformance/internal/breakable"
import { canarySearch } from "@gatewarden/testkit/canaries/canarySearch"
import { makeCanaries } from "@gatewarden/testkit/canaries/makeCanaries"
import { submitCanaries } from "@gatewarden/testkit/canaries/submitCanaries"
import { registerTelemetry } from "@gatewarden/testkit/telemetry/registerTelemetry"
import { hostPool } from "@gatewarden/testkit/stores/hostPool"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { createDatabase } from "@gatewarden/testkit/stores/postgresServer"
import { stores } from "@gatewarden/testkit/stores/stores"

const keyring = `k1:${Buffer.alloc(32, 5).toString("base64")}`
const managementKey = "obs3rv1ng-4Kq9vR2xT7bN5mW8zL0cD6hJ"
const spans = registerTelemetry()
const host = openTelemetry.trace.getTracer("host")

const instance = async (store: Store) => {
  const entries: LogEntry[] = []
  const gatewarden = await createGatewarden({
    store,
    keyring,
    managementKey,
    openTelemetry,
    logger: (entry) => {
      entries.push(entry)
      throw new Error("a host's logger that fails")
    }
  })
  const get = (path: string, key = managementKey) =>
    gatewarden.fetch(new Request(`http://host.test/api/v1${path}`, { headers: { authorization: `Bearer ${key}` } }))
  return { ...gatewarden, entries, get }
}

const named = (name: string, from = 0) => spans.slice(from).find((span) => span.name === name)

describe("the host's OpenTelemetry", () => {
  it("has operation and statements below the host's active span, each active while it works", async () => {
    const scope = Scope.makeUnsafe()
    const url = await createMigratedDatabase(inject("postgres"))
    const pool = await Effect.runPromise(Scope.provide(hostPool(url), scope))
    // As an instrumentation of the driver does.
    const driver = openTelemetry.trace.getTracer("driver")
    pool.on("acquire", () => driver.startSpan("driver").end())
    const { get, close } = await instance(fromPool(pool))
    const from = spans.length
    const status = await host.startActiveSpan("host request", async (span) => {
      const answer = await get("/workspaces/default")
      span.end()
      return answer.status
    })
    assert.strictEqual(status, 200)
    const [request, operation, statement] = ["host request", "getWorkspace", "postgresql"].map((name) =>
      named(name, from)
    )
    const traceIds = new Set(spans.slice(from).map((span) => span.context.traceId))
    assert.deepEqual([...traceIds], [request?.context.traceId])
    const byId = new Map(spans.map((span) => [span.context.spanId, span]))
    const ancestors = (span: (typeof spans)[number] | undefined): readonly string[] => {
      const parent = byId.get(span?.parent?.spanId ?? "")
      return parent === undefined ? [] : [parent.name, ...ancestors(parent)]
    }
    assert.strictEqual(ancestors(operation).at(-1), "host request")
    assert.strictEqual(ancestors(statement).at(-1), "host request")
    const inOperation = spans.slice(from).filter((span) => ancestors(span).includes("getWorkspace"))
    assert.includeMembers(
      inOperation.map(({ scope }) => scope),
      ["gatewarden", "driver"]
    )
    for (const span of spans.slice(from)) assert.strictEqual(span.ended, 1, span.name)
    await close()
    await Effect.runPromise(Scope.close(scope, Exit.void))
  })

  it("keeps requests apart that run at once, and has roots where the host traces nothing", async () => {
    const { get, close } = await instance(memory())
    const from = spans.length
    const one = (name: string) =>
      host.startActiveSpan(name, async (span) => {
        await get("/workspaces/default")
        span.end()
      })
    await Promise.all([one("first"), one("second"), one("third")])
    const roots = ["first", "second", "third"].map((name) => named(name, from)?.context.traceId)
    const operations = spans.slice(from).filter(({ name }) => name === "getWorkspace")
    assert.sameMembers(
      operations.map(({ context }) => context.traceId),
      roots
    )
    const later = spans.length
    await get("/workspaces/default")
    assert.notInclude(roots, named("getWorkspace", later)?.context.traceId)
    await close()
  })

  it("is told that something failed by its name alone", async () => {
    const { layer, faults } = breakable(stores.memory)
    const { get, close, entries } = await instance(makeStore("memory", layer))
    const from = spans.length
    await get("/workspaces/default")
    faults.break("Workspaces")
    assert.strictEqual((await get("/workspaces/default")).status, 500)
    const failed = spans.slice(from).filter(({ status }) => status !== undefined)
    assert.deepEqual(
      failed.map(({ name, status }) => [name, status]),
      [
        ["GET /api/v1/workspaces/:id", { code: 2, message: "ServerError" }],
        ["getWorkspace", { code: 2, message: "StoreUnavailable" }]
      ]
    )
    const told = entries.map(({ level, message }) => [level, message])
    assert.deepEqual(told, [["error", "store_unavailable"]])
    assert.instanceOf(entries[0]?.time, Date)
    await close()
  })
})

it("a host's logger hears of what the start did", async () => {
  const scope = Scope.makeUnsafe()
  const url = await createDatabase(inject("postgres"))
  const { entries, close } = await instance(fromPool(await Effect.runPromise(Scope.provide(hostPool(url), scope))))
  const [{ level, message, fields } = assert.fail("nothing was logged")] = entries
  const { length, [length - 1]: last } = migrations
  assert.deepEqual(
    [level, message, fields["count"], fields["last"]],
    ["info", "Applied migrations", length, last?.name]
  )
  assert.strictEqual(entries.filter((entry) => entry.message.startsWith("Applied")).length, 1)
  const span = spans.find(({ context }) => context.spanId === fields["span_id"])
  assert.strictEqual(span?.context.traceId, fields["trace_id"])
  await close()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

it("neither logger nor tracer hears of a secret", { tags: ["deep"] }, async () => {
  const from = spans.length
  const canaries = makeCanaries(110, 20_261_121)
  const scope = Scope.makeUnsafe()
  const url = await createMigratedDatabase(inject("postgres"))
  const pool = await Effect.runPromise(Scope.provide(hostPool(url), scope))
  const { entries, close, fetch: handle } = await instance(fromPool(pool))
  const server = createServer(toNodeHandler({ fetch: handle }))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const made = await submitCanaries({ url: `http://127.0.0.1:${port}/api/v1`, managementKey, canaries })
  server.closeAllConnections()
  server.close()
  await close()
  await Effect.runPromise(Scope.close(scope, Exit.void))
  const { find } = canarySearch([...canaries, ...made.issued, managementKey])
  const heard = [spans.slice(from), entries].map((part) => JSON.stringify(part))
  assert.isAbove(spans.length - from, 100)
  assert.deepEqual(heard.flatMap(find), [])
})

describe("an OpenTelemetry that fails", () => {
  /** A module whose function at the path throws; all others are the host's. */
  const working = { trace: openTelemetry.trace, context: openTelemetry.context }
  const failing = (part: keyof typeof working, name: string) =>
    ({
      ...working,
      [part]: new Proxy(working[part], {
        get: (target, property) =>
          property === name
            ? () => {
                throw new Error("a host's tracer that fails")
              }
            : Reflect.get(target, property).bind(target)
      })
    }) as unknown as typeof openTelemetry

  const brokenSpan = {
    trace: {
      ...openTelemetry.trace,
      getTracer: () => ({
        startSpan: () => ({
          spanContext: () => ({ traceId: "0".repeat(31) + "1", spanId: "0".repeat(15) + "1", traceFlags: 1 }),
          setAttribute: () => assert.fail("attribute"),
          addEvent: () => assert.fail("event"),
          setStatus: () => assert.fail("status"),
          end: () => assert.fail("end")
        })
      }),
      getSpan: openTelemetry.trace.getSpan.bind(openTelemetry.trace),
      setSpan: openTelemetry.trace.setSpan.bind(openTelemetry.trace),
      wrapSpanContext: openTelemetry.trace.wrapSpanContext.bind(openTelemetry.trace)
    },
    context: openTelemetry.context
  } as unknown as typeof openTelemetry

  const broken: Readonly<Record<string, typeof openTelemetry>> = {
    "trace.getTracer": failing("trace", "getTracer"),
    "trace.getSpan": failing("trace", "getSpan"),
    "trace.setSpan": failing("trace", "setSpan"),
    "context.active": failing("context", "active"),
    "context.with": failing("context", "with"),
    "every method of a span": brokenSpan
  }

  for (const [name, api] of Object.entries(broken))
    it(`breaks nothing: ${name}`, async () => {
      const gatewarden = await createGatewarden({
        store: memory(),
        keyring,
        managementKey,
        openTelemetry: api,
        logger: async () => {
          throw new Error("a host's logger that rejects")
        }
      })
      try {
        const answer = await gatewarden.fetch(
          new Request("http://host.test/api/v1/guardrails", {
            method: "POST",
            headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json" },
            body: JSON.stringify({ name: "one" })
          })
        )
        assert.include([200, 201], answer.status, await answer.clone().text())
        const listed = await gatewarden.fetch(
          new Request("http://host.test/api/v1/guardrails", { headers: { authorization: `Bearer ${managementKey}` } })
        )
        assert.lengthOf(((await listed.json()) as { data: unknown[] }).data, 1)
      } finally {
        await gatewarden.close()
      }
    })
})
