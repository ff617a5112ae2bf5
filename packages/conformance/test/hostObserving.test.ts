/** What an instance logs and traces goes to the host, and hangs where the host's own spans are. */
import * as openTelemetry from "@opentelemetry/api"
import { createGatewarden, type LogEntry, memory, type Store } from "@gatewarden/core"
import { makeStore } from "@gatewarden/core/effect"
import { toNodeHandler } from "@gatewarden/node"
import { fromPool } from "@gatewarden/postgres"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Exit, Scope } from "effect"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { inject } from "vitest"
import { breakable } from "../src/breakable.ts"
import { canarySearch } from "../src/canaries/canarySearch.ts"
import { makeCanaries } from "../src/canaries/makeCanaries.ts"
import { submitCanaries } from "../src/canaries/submitCanaries.ts"
import { registerTelemetry } from "../src/telemetry/registerTelemetry.ts"
import { hostPool } from "../src/stores/hostPool.ts"
import { createDatabase } from "../src/stores/postgresServer.ts"
import { stores } from "../src/stores/stores.ts"

const keyring = `k1:${Buffer.alloc(32, 5).toString("base64")}`
const managementKey = "observing-management-key-0123456789"
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
    const url = await createDatabase(inject("postgres"))
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
  assert.deepEqual([level, message, fields["id"], fields["name"]], ["info", "Applied migration", 1, "accounts"])
  const span = spans.find(({ context }) => context.spanId === fields["span_id"])
  assert.strictEqual(span?.context.traceId, fields["trace_id"])
  await close()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

it("neither logger nor tracer hears of a secret", async () => {
  const from = spans.length
  const canaries = makeCanaries(200, 20_261_121)
  const scope = Scope.makeUnsafe()
  const url = await createDatabase(inject("postgres"))
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
  assert.isAbove(spans.length - from, 500)
  assert.deepEqual(heard.flatMap(find), [])
})
