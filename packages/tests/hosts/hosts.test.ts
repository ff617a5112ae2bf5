/** What a host keeps when it mounts an instance: its routes, its errors, its headers, its globals. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import {
  createGatewarden,
  type Gatewarden,
  type GatewardenOptions,
  type GatewardenRefusal,
  memory,
  toNextHandlers
} from "@gatewarden/core"
import { toNodeHandler } from "@gatewarden/node"
import { gatewardenFastify } from "@gatewarden/node/fastify"
import { createAdaptorServer } from "@hono/node-server"
import express5 from "express"
import express4 from "express4"
import fastify, { type FastifyInstance } from "fastify"
import { Hono } from "hono"
import { cloneRawRequest } from "hono/request"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { listen as listenExpress } from "../../../examples/embed-express/src/server.ts"
import { listen as listenFastify } from "../../../examples/embed-fastify/src/server.ts"
import { listen as listenHono } from "../../../examples/embed-hono/src/server.ts"

const managementKey = "hosts-management-key-0123456789abcdef"

let gatewarden: Gatewarden
const opened: Server[] = []
beforeAll(async () => void (gatewarden = await createGatewarden({ store: memory(), managementKey })))
afterAll(async () => {
  for (const server of opened) {
    server.closeAllConnections()
    server.close()
  }
  await gatewarden.close()
})

/** Where a server listens, for as long as the tests run. */
const at = async (server: Server): Promise<string> => {
  if (!server.listening) await once(server, "listening")
  opened.push(server)
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const post = async (url: string, body: string, headers: Record<string, string> = {}) => {
  const response = await fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json", ...headers },
    body
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text }
}

const assertEnvelope = (text: string, code: number, reason?: string): void => {
  const { error } = JSON.parse(text) as { error: { code: number; metadata: { reason: string } } }
  assert.strictEqual(error.code, code)
  if (reason !== undefined) assert.strictEqual(error.metadata.reason, reason)
}

describe("a host's own routes", () => {
  for (const [name, listen] of [
    ["Express", listenExpress],
    ["Fastify", listenFastify],
    ["Hono", listenHono]
  ] as const)
    it(`of ${name} work, and what it does not have it answers itself`, async () => {
      const origin = await at(await listen(gatewarden, 0))
      const echoed = await post(`${origin}/echo`, '{"a":1}')
      assert.deepEqual([echoed.status, echoed.text], [200, '{"a":1}'])
      const mine = await post(`${origin}/nothing`, "{}")
      assert.strictEqual(mine.status, 404)
      assert.isNull(mine.headers.get("x-request-id"))
      const ours = await post(`${origin}/api/v1/nothing`, "{}")
      assert.strictEqual(ours.status, 404)
      assertEnvelope(ours.text, 404, "unknown_path")
    })
})

for (const [name, express] of [
  ["Express 5", express5],
  ["Express 4", express4]
] as const)
  describe(name, () => {
    const host = (order: "before" | "after") => {
      const app = express()
      app.use((_request, response, next) => {
        response.setHeader("access-control-allow-origin", "https://console.example")
        next()
      })
      if (order === "after") app.use(express.json())
      app.use("/api/v1", toNodeHandler(gatewarden))
      if (order === "before") app.use(express.json())
      app.post("/echo", (request, response) => void response.json(request.body))
      app.use((_request: unknown, response: express5.Response) => void response.status(404).send("host: not found"))
      app.use((_error: unknown, _request: unknown, response: express5.Response, _next: unknown) => {
        response.status(499).send("host: error")
      })
      return at(app.listen(0, "127.0.0.1"))
    }

    it("keeps its 404, its error handler and its headers out of the gateway's answers", async () => {
      for (const order of ["before", "after"] as const) {
        const origin = await host(order)
        const unknown = await post(`${origin}/api/v1/nothing`, "{}")
        assert.strictEqual(unknown.status, 404)
        assertEnvelope(unknown.text, 404)
        assert.strictEqual(unknown.headers.get("access-control-allow-origin"), "https://console.example")
        assert.strictEqual((await post(`${origin}/api/v1/guardrails`, '{"name":"x"}')).status, 200)
        assertEnvelope((await post(`${origin}/api/v1/guardrails`, '{"name":""}')).text, 400)
        assert.strictEqual((await post(`${origin}/other`, "{}")).text, "host: not found")
        assert.strictEqual((await post(`${origin}/echo`, '{"b":2}')).text, '{"b":2}')
      }
    })

    it("refuses what its own parser refuses, and leaves it to the gateway where that comes first", async () => {
      const broken = '{"name":'
      assertEnvelope((await post(`${await host("before")}/api/v1/guardrails`, broken)).text, 400, "invalid_json")
      assert.strictEqual((await post(`${await host("after")}/api/v1/guardrails`, broken)).text, "host: error")
    })

    it("goes on behind a handler that lets fall through what is no operation's", async () => {
      const app = express()
      app.use(toNodeHandler(gatewarden, { fallthrough: true }))
      app.use("/gateway", toNodeHandler(gatewarden, { fallthrough: true }))
      app.use((request: express5.Request, response: express5.Response) => void response.send(`host: ${request.url}`))
      const origin = await at(app.listen(0, "127.0.0.1"))
      for (const path of ["/api/v1/guardrails", "/gateway/guardrails"])
        assert.strictEqual((await post(origin + path, '{"name":"x"}')).status, 200, path)
      assert.strictEqual((await post(`${origin}/api/v1/workspaces/default`, "{}")).status, 405)
      // A route of the host may be called as an operation is, where nothing was stripped.
      for (const path of ["/guardrails", "/api/v1/nothing", "/gateway/nothing", "/"])
        assert.strictEqual((await post(origin + path, '{"name":"x"}')).text, `host: ${path}`)
    })

    it("has an empty body refused as one, though its parser leaves an object", async () => {
      const { status, text } = await post(`${await host("after")}/api/v1/guardrails`, "")
      assert.strictEqual(status, 400)
      assertEnvelope(text, 400, "invalid_json")
    })
  })

describe("Fastify", () => {
  const host = async (extend: (app: FastifyInstance) => void = () => {}, prefix = "/api/v1") => {
    const app = fastify()
    extend(app)
    await app.register(gatewardenFastify, { gatewarden, prefix })
    app.post("/echo", (request) => request.body)
    await app.listen({ port: 0, host: "127.0.0.1" })
    return at(app.server)
  }

  it("keeps its parsers for its own routes and none for the gateway's", async () => {
    const origin = await host()
    const mine = await post(`${origin}/echo`, "{")
    assert.strictEqual(mine.status, 400)
    assert.include(mine.text, "FST_ERR_CTP")
    assertEnvelope((await post(`${origin}/api/v1/guardrails`, "{")).text, 400, "invalid_json")
    assertEnvelope((await post(`${origin}/api/v1/guardrails`, "")).text, 400, "invalid_json")
    for (const type of ["nonsense", "text/plain", "a/b/c"])
      assertEnvelope((await post(`${origin}/api/v1/guardrails`, "{}", { "content-type": type })).text, 415)
  })

  it("runs the host's hooks, keeps their headers and leaves their refusals to the host", async () => {
    const answered: string[] = []
    const origin = await host((app) => {
      app.addHook("onRequest", async (_request, reply) => {
        reply.header("access-control-allow-origin", "https://console.example")
      })
      app.addHook("preHandler", async (request) => {
        if (request.headers["x-blocked"] !== undefined) throw Object.assign(new Error("blocked"), { statusCode: 403 })
      })
      app.addHook("onResponse", async (request) => void answered.push(request.url))
      app.setErrorHandler((error: Error, _request, reply) => reply.code(403).send(`host: ${error.message}`))
    })
    const made = await post(`${origin}/api/v1/guardrails`, '{"name":"x"}')
    assert.strictEqual(made.status, 200)
    assert.strictEqual(made.headers.get("access-control-allow-origin"), "https://console.example")
    assert.strictEqual((await post(`${origin}/api/v1/guardrails`, "{}", { "x-blocked": "1" })).text, "host: blocked")
    assert.deepEqual(answered, ["/api/v1/guardrails", "/api/v1/guardrails"])
  })

  it("mounts anywhere, below parameters too", async () => {
    for (const [prefix, path] of [
      ["/gateway", "/gateway/guardrails"],
      ["/gateway", "/gateway/api/v1/guardrails"],
      ["/tenants/:id/gateway", "/tenants/7/gateway/guardrails"],
      ["/", "/api/v1/guardrails"]
    ] as const) {
      const { status, text } = await post(`${await host(undefined, prefix)}${path}`, '{"name":"x"}')
      assert.strictEqual(status, 200, `${prefix} ${path} ${text}`)
    }
    assertEnvelope((await post(`${await host()}/api/v1`, "{}")).text, 404, "unknown_path")
  })
})

describe("Hono", () => {
  it("hands on a body that its middleware has read", async () => {
    const app = new Hono()
    app.use(async (context, next) => {
      await context.req.json()
      await next()
    })
    app.all("/api/v1/*", async (context) => gatewarden.fetch(await cloneRawRequest(context.req)))
    const origin = await at(
      (createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false }) as Server).listen(0, "127.0.0.1")
    )
    const { status, text } = await post(`${origin}/api/v1/guardrails`, '{"name":"read before"}')
    assert.strictEqual(status, 200, text)
    assert.include(text, "read before")
  })
})

describe("fetch hosts", () => {
  const asked = () =>
    new Request("http://localhost/api/v1/workspaces/default", { headers: { authorization: `Bearer ${managementKey}` } })

  it("may hand on more arguments", async () => {
    const fetch: (request: Request, ...more: readonly unknown[]) => Promise<Response> = gatewarden.fetch
    const untouchable = () => assert.fail("it was looked at")
    const more = new Proxy({}, { get: untouchable, has: untouchable, ownKeys: untouchable })
    assert.strictEqual((await fetch(asked(), more, more)).status, 200)
  })

  it("find a handler for every method that Next routes, and no start before a request", async () => {
    let starts = 0
    const handlers = toNextHandlers(async () => {
      starts++
      return gatewarden
    })
    assert.strictEqual(starts, 0)
    assert.deepEqual(Object.keys(handlers).sort(), ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"])
    assert.strictEqual((await handlers.GET(asked())).status, 200)
    assert.strictEqual(starts, 1)
    assert.strictEqual((await toNextHandlers(gatewarden).GET(asked())).status, 200)
  })
})

it("a base path that cannot be one is refused at the start", async () => {
  for (const basePath of ["api/v1", "/api/v1/", "", "/a//b"]) {
    const started = createGatewarden({ store: memory(), basePath })
    assert.match(String(await started.catch((cause: unknown) => cause)), /basePath must be a path/)
  }
})

it("options that cannot be are refused at the start, all by name and none repeated", async () => {
  const refused = async (options: unknown) =>
    String(await createGatewarden(options as GatewardenOptions).catch((cause: unknown) => cause))
  assert.strictEqual(await refused(undefined), "TypeError: createGatewarden: expected an object of options")
  for (const store of [undefined, null, {}, memory, "postgres://user:hidden@host/name"]) {
    const message = await refused({ store })
    assert.match(message, /^TypeError: createGatewarden: store must be a store, such as memory\(\)/)
    assert.notInclude(message, "hidden")
  }
  for (const [name, values] of Object.entries({
    keyring: [5, null],
    managementKey: ["short", 5],
    authenticate: [{}, "user"],
    logger: [console],
    onBudgetWarning: [true],
    mail: ["smtp://127.0.0.1"],
    presidio: ["http://127.0.0.1:5002", { url: "127.0.0.1:5002" }],
    openTelemetry: [{}, { trace: {} }],
    basePath: [5],
    wire: ["openai", null],
    analyticsTimeoutMillis: [Number.NaN, 0, -1, Infinity, "30000"],
    region: ["mars", { hosts: { "eu.example.com": "mars" } }, {}]
  }))
    for (const value of values)
      assert.match(await refused({ store: memory(), [name]: value }), new RegExp(`createGatewarden: ${name} must be `))
  assert.match(await refused({ store: memory(), wire: "x", region: "mars" }), /wire must be .*; region must be /)
})

it("what is no instance cannot be mounted", async () => {
  for (const none of [undefined, {}, Promise.resolve(gatewarden)] as never[]) {
    assert.throws(() => toNodeHandler(none), /^toNodeHandler: expected an instance/)
    const app = fastify().register(gatewardenFastify, { gatewarden: none, prefix: "/api/v1" })
    assert.match(String(await app.ready().then(String, (cause: unknown) => cause)), /expected an instance/)
  }
  for (const url of ["http://host/api/v1/key", undefined, new URL("http://host/api/v1/key")])
    assert.match(String(await gatewarden.fetch(url as never).catch((cause: unknown) => cause)), /expected a Request/)
})

it("host names of regions count however they are written", async () => {
  const own = await createGatewarden({
    store: memory(),
    managementKey,
    region: { hosts: { "EU.Example.com": "europe" } }
  })
  const headers = {
    authorization: `Bearer ${managementKey}`,
    "content-type": "application/json",
    host: "eu.example.com"
  }
  const key = await own.fetch(
    new Request("http://host/api/v1/keys", { method: "POST", headers, body: '{"name":"app"}' })
  )
  const { data } = (await key.json()) as { data: { hash: string } }
  const body = JSON.stringify({ api_key_hash: data.hash, model: "acme/sonnet" })
  const explained = await own.fetch(
    new Request("http://host/api/v1/gateway/explanations", { method: "POST", headers, body })
  )
  const { regions } = ((await explained.json()) as { data: { regions: { ingress: string } } }).data
  assert.strictEqual(regions.ingress, "europe")
  await own.close()
})

it("closing lets what was begun end, refuses what comes later, and may be told twice", async () => {
  let arrived = () => {}
  let release = () => {}
  const inside = new Promise<void>((resolve) => (arrived = resolve))
  const gate = new Promise<void>((resolve) => (release = resolve))
  const own = await createGatewarden({
    store: memory(),
    authenticate: async () => {
      arrived()
      await gate
      return { kind: "management", account: "default", user: "ada" }
    }
  })
  const asked = () => own.fetch(new Request("http://host/api/v1/workspaces/default"))
  const begun = asked()
  await inside
  const ended: string[] = []
  const closed = Promise.all([own.close(), own.close()]).then(() => ended.push("closed"))
  const late = await asked()
  assert.deepEqual([late.status, late.headers.get("retry-after")], [503, "1"])
  assertEnvelope(await late.text(), 503, "draining")
  release()
  assert.strictEqual((await begun.finally(() => ended.push("answered"))).status, 200)
  await closed
  assert.deepEqual(ended, ["answered", "closed"])
  for (const refused of [
    () => own.cancel("any"),
    () => own.createAccount("acme"),
    () => own.admit({ api_key: "any" })
  ]) {
    const { status, reason } = await refused().then(
      () => assert.fail("not refused"),
      (cause: unknown) => cause as GatewardenRefusal
    )
    assert.deepEqual([status, reason], [503, "draining"])
  }
})

it("a denial in process leads to the page on its reason", async () => {
  const own = await createGatewarden({ store: memory(), managementKey })
  const elsewhere = await createGatewarden({ store: memory(), managementKey, docUrl: "https://docs.example.com/#" })
  const docUrlOf = async (gatewarden: typeof own) => {
    const { error } = await gatewarden.admit({ api_key: managementKey, model: "acme/sonnet" })
    return error?.metadata.doc_url ?? ""
  }
  const page = new URL(await docUrlOf(own), "http://localhost/chat")
  assert.strictEqual(page.pathname, "/api/v1/errors/api_key_required")
  assert.strictEqual((await own.fetch(new Request(page))).status, 200)
  assert.strictEqual(await docUrlOf(elsewhere), "https://docs.example.com/#api_key_required")
  await own.close()
  await elsewhere.close()
})

it("no global is replaced", async () => {
  const before = Object.getOwnPropertyDescriptors(globalThis)
  const own = await createGatewarden({ store: memory(), managementKey })
  const origin = await at(createServer(toNodeHandler(own)).listen(0, "127.0.0.1"))
  await post(`${origin}/api/v1/guardrails`, '{"name":"x"}')
  await own.close()
  const after = Object.getOwnPropertyDescriptors(globalThis)
  assert.deepEqual(Object.keys(after), Object.keys(before))
  for (const [name, { value, get }] of Object.entries(before)) {
    const now = after[name as keyof typeof after]
    assert.isTrue(now !== undefined && Object.is(now.value, value) && now.get === get, name)
  }
})

it("two instances in one process are apart", async () => {
  const other = await createGatewarden({
    store: memory(),
    managementKey: "another-management-key-0123456789abcdef",
    basePath: "/second/v1"
  })
  const app = express5()
  app.use("/api/v1", toNodeHandler(gatewarden))
  app.use("/second/v1", toNodeHandler(other))
  const origin = await at(app.listen(0, "127.0.0.1"))
  const theirs = { authorization: "Bearer another-management-key-0123456789abcdef" }
  const made = await post(`${origin}/api/v1/guardrails`, '{"name":"first"}')
  const { id } = (JSON.parse(made.text) as { data: { id: string } }).data
  const patch = (path: string, headers: Record<string, string>) =>
    fetch(`${origin}${path}/guardrails/${id}`, {
      method: "PATCH",
      headers: { "content-type": "application/json", ...headers },
      body: '{"name":"renamed"}'
    }).then(({ status }) => status)
  assert.strictEqual(await patch("/second/v1", { authorization: `Bearer ${managementKey}` }), 401)
  assert.strictEqual(await patch("/api/v1", theirs), 401)
  assert.strictEqual(await patch("/second/v1", theirs), 404)
  await other.close()
  assert.strictEqual(await patch("/api/v1", { authorization: `Bearer ${managementKey}` }), 200)
})
