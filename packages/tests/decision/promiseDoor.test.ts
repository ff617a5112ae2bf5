import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { catalogEndpoint, catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import { createGatewarden, type Gatewarden, GatewardenRefusal, memory } from "../../core/src/index.ts"

const managementKey = `test-${"m".repeat(40)}`
const upstreamKey = "sk-upstream-0123456789abcdef"

/** A dollar a thousand tokens. */
const pricing = { prompt: "0.001", completion: "0.001" }
const model = catalogModel("acme/sonnet", {
  endpoints: ["openai", "anthropic"].map((provider) => catalogEndpoint(provider, { pricing }))
})

const report = (cost_usd: string) => ({
  created_at: new Date().toISOString(),
  model: "acme/sonnet",
  provider: "openai",
  prompt_tokens: 1,
  completion_tokens: 1,
  cost_usd
})

const refusal = async (promise: Promise<unknown>): Promise<GatewardenRefusal> => {
  try {
    await promise
  } catch (error) {
    assert.instanceOf(error, GatewardenRefusal)
    return error as GatewardenRefusal
  }
  return assert.fail("not refused")
}

describe("enforcement without HTTP", () => {
  let gatewarden: Gatewarden
  let api_key: string
  const warned: (readonly string[])[] = []
  const send = async (method: string, path: string, body?: object) => {
    const answer = await gatewarden.fetch(
      new Request(`http://host${gatewarden.basePath}${path}`, {
        method,
        headers: { authorization: `Bearer ${managementKey}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    )
    assert.strictEqual(answer.status, 200)
    return answer.json() as Promise<{ readonly key: string; readonly data?: { readonly id: string } }>
  }
  beforeAll(async () => {
    gatewarden = await createGatewarden({
      store: memory(),
      managementKey,
      onBudgetWarning: ({ kind, spent_usd }) => warned.push([kind, spent_usd])
    })
    await send("PUT", "/gateway/catalog", { models: [model] })
    await send("POST", "/byok", { provider: "openai", key: upstreamKey })
    api_key = (await send("POST", "/keys", { name: "app", limit: 1 })).key
  })
  afterAll(() => gatewarden.close())

  const ask = (fields: object = {}) =>
    gatewarden.admit({ api_key, model: "acme/sonnet", max_cost_usd: "0.25", ...fields })

  it("admits, opens the upstream key of a candidate, and settles", async () => {
    const admission = await ask()
    assert.strictEqual(admission.decision, "allow")
    const [own, shared] = admission.candidates
    assert.deepEqual([own?.source, shared?.source], ["byok", "shared"])
    if (own === undefined || shared === undefined) return
    assert.strictEqual(await admission.credentialOf(own), upstreamKey)
    assert.strictEqual((await refusal(admission.credentialOf(shared))).reason, "not_admitted")
    assert.notInclude(JSON.stringify(admission), upstreamKey)
    const settled = await gatewarden.settle(admission.id, report("0.125"))
    assert.deepInclude(settled.charged[0], { scope: "key_limit", amount_usd: "0.125" })
    assert.strictEqual((await refusal(admission.credentialOf(own))).status, 403)
  })

  it("opens nothing for a candidate of another admission that was cancelled", async () => {
    const admission = await ask()
    await gatewarden.cancel(admission.id)
    const [own] = admission.candidates
    if (own !== undefined) assert.strictEqual((await refusal(admission.credentialOf(own))).reason, "not_admitted")
  })

  it("opens nothing of a credential that was deleted after the admission", async () => {
    const { data } = await send("POST", "/byok", { provider: "openai", key: `${upstreamKey}-2` })
    const admission = await ask()
    const second = admission.candidates.find(({ byok_id }) => byok_id === data?.id)
    if (second === undefined) return assert.fail("no candidate")
    assert.strictEqual(await admission.credentialOf(second), `${upstreamKey}-2`)
    await send("DELETE", `/byok/${data?.id}`)
    assert.strictEqual((await refusal(admission.credentialOf(second))).reason, "not_admitted")
    await gatewarden.cancel(admission.id)
  })

  it("opens of a regional key what the provider is sent, and nothing once its account lies elsewhere", async () => {
    const regional = (region: string) => JSON.stringify({ api_key: upstreamKey, region })
    const { data } = await send("POST", "/byok", { provider: "openai", key: regional("europe") })
    const admission = await ask({ ingress_region: "europe" })
    const [own, ...others] = admission.candidates
    if (own === undefined) return assert.fail("no candidate")
    assert.deepEqual([own.byok_id, own.declared_region], [data?.id, "europe"])
    assert.deepEqual(others, [])
    assert.strictEqual(await admission.credentialOf(own), upstreamKey)
    await send("PATCH", `/byok/${data?.id}`, { key: regional("us") })
    assert.strictEqual((await refusal(admission.credentialOf(own))).reason, "not_admitted")
    await gatewarden.cancel(admission.id)
    await send("DELETE", `/byok/${data?.id}`)
  })

  it("charges what was held for counts of an upstream that are none", async () => {
    const admission = await ask({ messages: [{ role: "user", content: "Hello" }], max_completion_tokens: 100 })
    const shared = admission.candidates.find(({ source }) => source === "shared")
    if (shared === undefined) return assert.fail("no candidate")
    const costs = [-5000, Number.NaN, 1.5, Infinity, 2 ** 53, "9"].map((count) => {
      const usage = { prompt_tokens: count as number, completion_tokens: 5 }
      return admission.costOf(shared, usage).cost_usd
    })
    assert.deepEqual([...new Set(costs)], [admission.costOf(shared, { completion_tokens: 5 }).cost_usd])
    assert.strictEqual(
      admission.costOf(shared, { prompt_tokens: 10, completion_tokens: 5, total_tokens: 30 }).cost_usd,
      "0.03"
    )
    await gatewarden.cancel(admission.id)
  })

  it("denies as an answer, with the reasons, and explains them", async () => {
    // The workspace's own key costs the limit nothing; shared capacity does.
    assert.deepEqual(
      (await ask({ max_cost_usd: "5" })).candidates.map(({ source }) => source),
      ["byok"]
    )
    const dear = { max_cost_usd: "5", provider: { only: ["anthropic"] } }
    const denied = await ask(dear)
    assert.deepInclude(denied, { decision: "deny", status: 402, candidates: [] })
    const explained = await gatewarden.explain({ api_key, model: "acme/sonnet", ...dear })
    assert.strictEqual(explained.status, 402)
    // Letting the request go to the provider whose key is the workspace's own is as small a change as a larger limit.
    assert.deepEqual(explained.smallest_change, [
      { scope: "request", guardrail_id: null, field: "provider.only", from: ["anthropic"], to: ["anthropic", "openai"] }
    ])
  })

  // Rule: money#budget-warnings.
  it("tells the host when a budget denies, once a window", () => {
    assert.deepEqual(warned, [["denied", "0.125"]])
  })

  it("denies a key that nobody made, and refuses what is malformed as over HTTP", async () => {
    assert.strictEqual((await ask({ api_key: "gw-v1-nobody" })).status, 401)
    const malformed = await refusal(ask({ hold_seconds: 1 }))
    assert.deepEqual([malformed.status, malformed.issues[0]?.path], [400, "hold_seconds"])
    assert.strictEqual((await refusal(gatewarden.settle("nothing", report("0")))).status, 404)
    assert.strictEqual((await refusal(gatewarden.renew("nothing"))).status, 404)
  })

  it("lets nobody who has a key, or none, name another one's hash", async () => {
    const sha256 = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(api_key))
    const api_key_hash = Array.from(new Uint8Array(sha256), (byte) => byte.toString(16).padStart(2, "0")).join("")
    const own = await ask({ api_key_hash })
    assert.strictEqual(own.decision, "allow")
    await gatewarden.cancel(own.id)
    for (const [field, fields] of [
      ["api_key_hash", { api_key_hash, api_key: "gw-v1-nobody" }],
      ["api_key", { api_key_hash, api_key: undefined }]
    ] as const) {
      const { status, issues } = await refusal(ask(fields))
      assert.deepEqual([status, issues[0]?.path], [400, field])
    }
  })

  it("refuses whoever names no key, no event and no stretch to replay, as over HTTP", async () => {
    // What a host without types passes on: a header that was not there, a field that was forgotten.
    const nothing = undefined as unknown as string
    for (const refused of [
      ask({ api_key: undefined }),
      gatewarden.explain({ api_key: nothing, model: "acme/sonnet" }),
      gatewarden.replay({ api_key: nothing, replay: { start: "2026-01-01T00:00:00Z", end: "2026-01-02T00:00:00Z" } })
    ]) {
      const { status, issues } = await refusal(refused)
      assert.deepEqual([status, issues[0]?.path], [400, "api_key"])
    }
    const { id } = await ask()
    const unsettled = await refusal(gatewarden.settle(id, undefined as unknown as ReturnType<typeof report>))
    assert.deepEqual([unsettled.status, unsettled.issues[0]?.path], [400, "event"])
    await gatewarden.cancel(id)
    const unread = await refusal(gatewarden.replay({ api_key, replay: { start: nothing, end: nothing } }))
    assert.deepEqual([unread.status, unread.issues[0]?.path], [400, "replay.start"])
    const unsaid = nothing as unknown as { readonly start: string; readonly end: string }
    const unranged = await refusal(gatewarden.replay({ api_key, replay: unsaid }))
    assert.deepEqual([unranged.status, unranged.issues[0]?.path], [400, "replay"])
  })

  it("refuses what is no request and no id, as over HTTP", async () => {
    const wrong = (value: unknown) => value as never
    for (const [asked, path] of [
      [undefined, ""],
      [null, ""],
      ["a key", ""],
      [{ model: "acme/sonnet", api_key: 5 }, "api_key"]
    ] as const)
      for (const method of [gatewarden.admit, gatewarden.explain, gatewarden.replay]) {
        const { status, issues } = await refusal(method(wrong(asked)))
        assert.deepEqual([status, issues[0]?.path], [400, path])
      }
    for (const id of [undefined, null, 5, {}]) {
      assert.strictEqual((await refusal(gatewarden.settle(wrong(id), report("0")))).status, 404)
      assert.strictEqual((await refusal(gatewarden.renew(wrong(id)))).status, 404)
      assert.strictEqual((await refusal(gatewarden.cancel(wrong(id)))).status, 404)
    }
  })

  it("refuses what is nested deeper than a body may be, as over HTTP", async () => {
    const nested = (depth: number) => {
      let value: unknown = "x"
      for (let level = 0; level < depth; level++) value = [value]
      return value
    }
    const loop: unknown[] = []
    loop.push(loop)
    const toolWith = (x: unknown) => [{ x }]
    for (const tools of [nested(62), nested(200_000), loop].map(toolWith))
      for (const fields of [{ tools }, { tools, model: "acme/sonnet@preset/none" }]) {
        const { status, reason, issues } = await refusal(ask(fields))
        assert.deepEqual([status, reason], [400, "invalid_request"])
        assert.deepEqual(
          issues.map(({ path, code }) => [path, code]),
          [["tools", "too_deep"]]
        )
        assert.strictEqual((await refusal(gatewarden.explain({ api_key, ...fields }))).status, 400)
      }
    assert.strictEqual((await ask({ tools: toolWith(nested(61)) })).decision, "allow")
    const wide = Array.from({ length: 30_000 }, () => [[]])
    assert.strictEqual((await ask({ tools: toolWith(wide) })).decision, "allow")
  })

  it("prices what a candidate of the admission used, exactly", async () => {
    const { candidates, costOf } = await ask()
    const [own, shared] = candidates
    if (own === undefined || shared === undefined) return assert.fail("two candidates")
    const usage = { prompt_tokens: 3, completion_tokens: 4, cached_tokens: 1 }
    assert.deepEqual(costOf(own, usage), { cost_usd: "0", byok: true, byok_cost_usd: "0.007" })
    assert.deepEqual(costOf(shared, usage), { cost_usd: "0.007", byok: false, byok_cost_usd: null })
    assert.throws(() => costOf({ ...own, endpoint_tag: "elsewhere" }, usage), TypeError)
  })

  it("replays what was recorded", async () => {
    const now = Date.now()
    const replay = { start: new Date(now - 60_000).toISOString(), end: new Date(now + 60_000).toISOString() }
    const report = await gatewarden.replay({
      api_key,
      replay,
      guardrail: { scope: "key", patch: { ignored_providers: ["openai"] } }
    })
    assert.deepInclude(report, { events: 1, blocked: 1, blocked_usd: "0.125" })
  })
})
