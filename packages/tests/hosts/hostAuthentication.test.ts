/** A host that authenticates its own users: what it says about them counts as a key would. Rule: access#host-callers. */
import { createGatewarden, type Gatewarden, type HostAnswer, memory, type Store } from "@gatewarden/core"
import { nodeRequestOf, toNodeHandler } from "@gatewarden/node"
import { postgres } from "@gatewarden/postgres"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import express from "express"
import type { IncomingMessage, Server } from "node:http"
import type { AddressInfo } from "node:net"
import { inject } from "vitest"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"

const stores: Readonly<Record<string, () => Promise<Store>>> = {
  memory: async () => memory(),
  PostgreSQL: async () => postgres({ url: await createMigratedDatabase(inject("postgres")) })
}

const keyring = `k1:${Buffer.alloc(32, 5).toString("base64")}`
const secret = "host-secret-5f0c"

/** The host's session cookie says everything; `x-fault` makes the host fail. */
const authenticate = async (request: Request): Promise<HostAnswer> => {
  const fault = request.headers.get("x-fault")
  if (fault === "throws") throw new Error(`no session for ${secret}`)
  const cookie = request.headers.get("cookie")
  if (cookie === "refuse") return "refuse"
  return cookie === null ? undefined : (JSON.parse(cookie) as HostAnswer)
}

describe.each(Object.entries(stores))("a host's own authentication on %s", (_, makeStore) => {
  let gatewarden: Gatewarden
  beforeAll(async () => {
    gatewarden = await createGatewarden({ store: await makeStore(), keyring, authenticate })
  })
  afterAll(() => gatewarden.close())

  let accounts = 0
  const newAccount = async () => {
    const made = await gatewarden.createAccount(`tenant-${++accounts}`)
    assert.isDefined(made)
    return made
  }
  const call = async (method: string, path: string, headers: Record<string, string>, body?: unknown) => {
    const response = await gatewarden.fetch(
      new Request(`http://host.test/api/v1${path}`, {
        method,
        headers: { ...headers, ...(body === undefined ? {} : { "content-type": "application/json" }) },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    )
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: text === "" ? undefined : JSON.parse(text)
    }
  }
  const as = (caller: object) => ({ cookie: JSON.stringify(caller) })
  const management = (account: string, user = "ada") => as({ kind: "management", account, user })
  const normal = (account: string, workspace?: string, user = "bob") => as({ kind: "normal", account, user, workspace })
  const reasonOf = (answer: Awaited<ReturnType<typeof call>>) => [answer.status, answer.json.error?.metadata.reason]

  it("refuses the host's users of a suspended account until it is resumed, and nobody else's", async () => {
    const [one, other] = [await newAccount(), await newAccount()]
    const use = async (name: string) => call("GET", "/guardrails", management(name))
    for (const { name } of [one, other]) assert.strictEqual((await use(name)).status, 200)
    assert.isTrue(await gatewarden.suspendAccount(one.name))
    const refused = await use(one.name)
    assert.deepEqual([refused.status, refused.json.error.metadata.reason], [401, "account_suspended"])
    assert.strictEqual((await use(other.name)).status, 200)
    const { managementKey } = one
    const withKey = () => call("GET", "/guardrails", { authorization: `Bearer ${managementKey}` })
    assert.strictEqual((await withKey()).json.error.metadata.reason, "account_suspended")
    assert.isTrue(await gatewarden.resumeAccount(one.name))
    assert.strictEqual((await use(one.name)).status, 200)
    assert.strictEqual((await withKey()).status, 200)
    assert.isFalse(await gatewarden.suspendAccount("nobody"))
    const rejection = await gatewarden.suspendAccount("default").catch((cause: unknown) => cause)
    assert.instanceOf(rejection, TypeError)
  })

  it("lets the management of the account default write the installation's catalog, and no other account's", async () => {
    const account = await newAccount()
    const put = (who: Record<string, string>, query = "") =>
      call("PUT", `/gateway/catalog${query}`, who, { models: [] })
    assert.strictEqual((await put(management("default"))).status, 200)
    assert.deepEqual(reasonOf(await put(management(account.name))), [403, "operator_required"])
    assert.strictEqual((await put(management(account.name), "?account=own")).status, 200)
    assert.deepEqual(reasonOf(await put(normal("default"))), [403, "management_key_required"])
  })

  it("gives a user the account's management, and names them as author", async () => {
    const account = await newAccount()
    const made = await call("POST", "/workspaces", management(account.name), { name: "Team", slug: "team" })
    assert.deepInclude(made.json.data, { slug: "team", created_by: "ada" }, made.text)
    const { json } = await call("GET", "/key", management(account.name))
    assert.deepInclude(json.data, {
      label: "ada",
      creator_user_id: "ada",
      is_management_key: true,
      workspace_id: null,
      organization_id: account.id,
      limit: null,
      usage: 0
    })
    // What is made is the account's, for whoever holds its key.
    const bearer = { authorization: `Bearer ${account.managementKey}` }
    assert.strictEqual((await call("GET", `/workspaces/${made.json.data.id}`, bearer)).status, 200)
  })

  it("keeps a normal user in one workspace", async () => {
    const account = await newAccount()
    const team = (await call("POST", "/workspaces", management(account.name), { name: "Team", slug: "team" })).json.data
    const guardrail = { name: "No" }
    assert.deepEqual(reasonOf(await call("POST", "/guardrails", normal(account.name), guardrail)), [
      403,
      "management_key_required"
    ])
    assert.strictEqual((await call("GET", "/key", normal(account.name))).json.data.workspace_id, account.workspaceId)
    for (const named of [team.id, "team"]) {
      const { json } = await call("GET", "/key", normal(account.name, named))
      assert.deepInclude(json.data, { label: "bob", is_management_key: false, workspace_id: team.id })
    }
    assert.strictEqual((await call("GET", `/workspaces/${team.id}`, normal(account.name))).status, 404)
    const body = { model: "acme/sonnet", messages: [{ role: "user", content: "hi" }] }
    const preset = await call("POST", "/presets/mine/chat/completions", normal(account.name, "team"), body)
    assert.deepInclude(preset.json.data, { workspace_id: team.id, creator_user_id: "bob" }, preset.text)
  })

  it("does not see other accounts", async () => {
    const [one, other] = [await newAccount(), await newAccount()]
    const made = (await call("POST", "/guardrails", management(one.name), { name: "Mine" })).json.data
    assert.strictEqual((await call("GET", `/guardrails/${made.id}`, management(one.name))).status, 200)
    assert.strictEqual((await call("GET", `/guardrails/${made.id}`, management(other.name))).status, 404)
    assert.strictEqual(await gatewarden.createAccount(one.name), undefined)
    for (const name of ["", "x".repeat(101), "a\0b"])
      assert.instanceOf(await gatewarden.createAccount(name).catch((cause: unknown) => cause), TypeError)
  })

  it("leaves to keys whom the host does not know, unless it refuses", async () => {
    const { managementKey } = await newAccount()
    const bearer = { authorization: `Bearer ${managementKey}` }
    assert.strictEqual((await call("GET", "/key", bearer)).status, 200)
    assert.deepEqual(reasonOf(await call("GET", "/key", {})), [401, "missing_authentication"])
    assert.deepEqual(reasonOf(await call("GET", "/key", { authorization: "Bearer nobody" })), [401, "invalid_api_key"])
    assert.deepEqual(reasonOf(await call("GET", "/key", { ...bearer, cookie: "refuse" })), [401, "refused_by_host"])
    // The host is asked first: its user is who calls, whatever key came along.
    const both = await call("GET", "/key", { ...bearer, ...management("default", "eve") })
    assert.strictEqual(both.json.data.label, "eve")
  })

  it("answers 401 for accounts and workspaces that do not exist, at once when one is deleted", async () => {
    const account = await newAccount()
    assert.deepEqual(reasonOf(await call("GET", "/key", management("nobody"))), [401, "unknown_account"])
    assert.deepEqual(reasonOf(await call("GET", "/key", normal(account.name, "nowhere"))), [401, "unknown_workspace"])
    const fields = { name: "Short", slug: "short" }
    const made = (await call("POST", "/workspaces", management(account.name), fields)).json.data
    assert.strictEqual((await call("GET", "/key", normal(account.name, "short"))).status, 200)
    await call("DELETE", `/workspaces/${made.id}`, management(account.name))
    assert.deepEqual(reasonOf(await call("GET", "/key", normal(account.name, "short"))), [401, "unknown_workspace"])
    const confirmed = `/workspaces/${account.workspaceId}?confirm_default_workspace_deletion=true&force=true`
    assert.strictEqual((await call("DELETE", confirmed, management(account.name))).status, 200)
    assert.deepEqual(reasonOf(await call("GET", "/key", normal(account.name))), [401, "unknown_workspace"])
    assert.strictEqual((await call("GET", "/key", management(account.name))).status, 200)
  })

  it("answers 500 where the host fails or talks nonsense, and repeats none of it", async () => {
    const nonsense = [
      { kind: "root", account: "default", user: secret },
      { kind: "management", account: secret },
      { kind: "management", account: "default", user: "" },
      { kind: "management", account: "default", user: "system" },
      { kind: "normal", account: "default", user: `${secret}\0` }
    ]
    for (const headers of [{ "x-fault": "throws" }, ...nonsense.map(as)]) {
      const answer = await call("GET", "/key", headers)
      assert.deepEqual(reasonOf(answer), [500, "unexpected_failure"])
      assert.notInclude(answer.text, secret)
    }
  })

  it("counts limits and repetitions by user", async () => {
    const { name } = await newAccount()
    const path = "/datasets/rankings-daily"
    for (let time = 0; time < 30; time++) assert.strictEqual((await call("GET", path, management(name))).status, 200)
    assert.strictEqual((await call("GET", path, management(name))).status, 429)
    assert.strictEqual((await call("GET", path, management(name, "eve"))).status, 200)
    const repeated = (user: string) =>
      call("POST", "/guardrails", { ...management(name, user), "idempotency-key": "once" }, { name: "Once" })
    const [first, again, others] = [await repeated("ada"), await repeated("ada"), await repeated("eve")]
    assert.deepEqual([again.text, again.headers.get("idempotent-replayed")], [first.text, "true"])
    assert.notStrictEqual(others.json.data.id, first.json.data.id)
  })
})

it("asks with the request that fetch was given, and only where a caller is needed", async () => {
  const asked: Request[] = []
  const gatewarden = await createGatewarden({
    store: memory(),
    authenticate: (request) => {
      asked.push(request)
      return { kind: "management", account: "default", user: "ada" }
    }
  })
  const anyone = new Request("http://host.test/api/v1/openapi.json")
  const caller = new Request("http://host.test/api/v1/key")
  await gatewarden.fetch(anyone)
  assert.strictEqual((await gatewarden.fetch(caller)).status, 200)
  assert.strictEqual(asked.length, 1)
  assert.strictEqual(asked[0], caller)
  await gatewarden.close()
})

it("knows the user that a middleware of Express put on its request", async () => {
  const gatewarden = await createGatewarden({
    store: memory(),
    authenticate: (request) => {
      const user = (nodeRequestOf(request) as (IncomingMessage & { readonly user?: string }) | undefined)?.user
      return user === undefined ? "refuse" : { kind: "management", account: "default", user }
    }
  })
  const app = express()
  app.use((request, _, next) => {
    if (request.headers["x-session"] === "ada's") Object.assign(request, { user: "ada" })
    next()
  })
  app.use(express.json())
  app.use("/api/v1", toNodeHandler(gatewarden))
  const server = await new Promise<Server>((resolve) => {
    const listening = app.listen(0, "127.0.0.1", () => resolve(listening))
  })
  const { port } = server.address() as AddressInfo
  const post = (session: string) =>
    fetch(`http://127.0.0.1:${port}/api/v1/workspaces`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-session": session },
      body: JSON.stringify({ name: "Team", slug: "team" })
    })
  const made = (await (await post("ada's")).json()) as { data: { created_by: string } }
  assert.strictEqual(made.data.created_by, "ada")
  assert.strictEqual((await post("nobody's")).status, 401)
  server.closeAllConnections()
  server.close()
  await gatewarden.close()
})
