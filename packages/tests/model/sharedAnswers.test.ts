/** How often lists of models read the catalog and count tokens: once for all requests that may have the same answer. */
import { createGatewarden, type Gatewarden } from "@gatewarden/core"
import { layerMemory } from "@gatewarden/core/effect"
import { makeStore } from "@gatewarden/core/store"
import { afterAll, assert, beforeAll, describe, it, vi } from "@effect/vitest"
import { Effect } from "effect"
import { model } from "@gatewarden/conformance/internal/model/catalog"
import { wrapPorts } from "@gatewarden/conformance/internal/wrapPorts"

const managementKey = `model-${"m".repeat(40)}`

const reads = { visible: 0, totals: 0 }
/** Reads of the catalog at this moment, and the most of them at one. */
const atOnce = { now: 0, most: 0 }

/** Measurements of a model at this moment, the most of them at one, and how many there were. */
const measured = { now: 0, most: 0, all: 0 }

/** Reads of the catalog wait for it. */
let gate = Promise.resolve()

/** A turn of the event loop. */
const turn = Effect.promise(() => new Promise<void>((resolve) => setTimeout(resolve, 0)))

/** A store whose reads take a turn of the event loop, as those of a database do. */
const counting = wrapPorts(layerMemory, (port, effect, method) => {
  const name = `${port}.${method}`
  if (name === "RankingsReader.totals")
    return Effect.suspend(() => {
      reads.totals++
      return Effect.andThen(turn, effect)
    })
  if (name === "EndpointStatisticsReader.measure")
    return Effect.suspend(() => {
      measured.all++
      measured.most = Math.max(measured.most, ++measured.now)
      return Effect.ensuring(
        Effect.andThen(turn, effect),
        Effect.sync(() => measured.now--)
      )
    })
  if (port === "ModelCatalog" && (method === "visible" || method === "named"))
    return Effect.suspend(() => {
      if (method === "visible") reads.visible++
      atOnce.most = Math.max(atOnce.most, ++atOnce.now)
      return Effect.ensuring(
        Effect.andThen(
          Effect.promise(() => gate),
          Effect.andThen(turn, effect)
        ),
        Effect.sync(() => atOnce.now--)
      )
    })
  return name === "ByokCredentials.list" || name === "PolicySources.of" ? Effect.andThen(turn, effect) : effect
})

describe("lists of models", () => {
  let gatewarden: Gatewarden
  let userKey = ""
  const send = async (method: string, path: string, body?: object, key = managementKey) => {
    const answer = await gatewarden.fetch(
      new Request(`http://test${gatewarden.basePath}${path}`, {
        method,
        headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    )
    return { status: answer.status, text: await answer.text() }
  }
  const sent = async (method: string, path: string, body?: object, key?: string) => {
    const answer = await send(method, path, body, key)
    assert.strictEqual(answer.status, 200, answer.text)
    return JSON.parse(answer.text)
  }
  /** How often each was read meanwhile. */
  const readsOf = async (work: () => Promise<unknown>) => {
    const before = { ...reads }
    await work()
    return { visible: reads.visible - before.visible, totals: reads.totals - before.totals }
  }
  const listed = (key: string) => sent("GET", "/models/user", undefined, key)

  beforeAll(async () => {
    // The log of changes is read again after a second, and then forgets what this process forgot already.
    vi.useFakeTimers({ toFake: ["Date"] })
    gatewarden = await createGatewarden({ store: makeStore("memory", counting), managementKey })
    await sent("PUT", "/gateway/catalog", { models: [model("acme/a"), model("acme/b")] })
    userKey = (await sent("POST", "/keys", { name: "user" })).key
  })
  afterAll(async () => {
    await gatewarden?.close()
    vi.useRealTimers()
  })

  it("make one answer for requests that come at once", async () => {
    const all = () => Promise.all(Array.from({ length: 20 }, () => sent("GET", "/models?q=a")))
    assert.deepEqual(await readsOf(all), { visible: 1, totals: 0 })
    assert.deepEqual(await readsOf(all), { visible: 0, totals: 0 })
  })

  it("count tokens once, whatever is asked", async () => {
    const all = () => Promise.all(["a", "b", "c", "d"].map((q) => sent("GET", `/models?sort=most-popular&q=${q}`)))
    assert.deepEqual(await readsOf(all), { visible: 4, totals: 1 })
    assert.deepEqual(await readsOf(() => sent("GET", "/models?sort=top-weekly&q=e")), { visible: 1, totals: 0 })
  })

  it("of a key are kept until what applies to the key changes", async () => {
    const all = () => Promise.all(Array.from({ length: 20 }, () => listed(userKey)))
    assert.deepEqual(await readsOf(all), { visible: 1, totals: 0 })
    assert.deepEqual(await readsOf(all), { visible: 0, totals: 0 })
    const { data } = await sent("GET", "/guardrails")
    const guardrail = data[0]?.id ?? (await sent("GET", "/workspaces/default")).data.default_guardrail_id
    await sent("PATCH", `/guardrails/${guardrail}`, { ignored_models: ["acme/a"] })
    assert.deepEqual(
      (await listed(userKey)).data.map(({ id }: { id: string }) => id),
      ["acme/b"]
    )
    assert.deepEqual(await readsOf(all), { visible: 0, totals: 0 })
    await sent("POST", "/byok", { provider: "groq", key: "gsk-0123456789" })
    assert.deepEqual(await readsOf(all), { visible: 1, totals: 0 })
    await sent("PUT", "/gateway/catalog", { models: [model("acme/b"), model("acme/c")] })
    assert.lengthOf((await listed(userKey)).data, 2)
  })

  it("of a new key are made once for requests that come at once, although nothing of it was read before", async () => {
    const { key } = await sent("POST", "/keys", { name: "new" })
    const all = () => Promise.all(Array.from({ length: 20 }, () => listed(key)))
    assert.deepEqual(await readsOf(all), { visible: 1, totals: 0 })
  })

  it("are made one at a time for an account, and refused if very many of an account wait", async () => {
    const ask = (path: string) => send("GET", path)
    for (const pathOf of [
      (index: number) => `/models?q=different-${index}`,
      (index: number) => `/models/acme/b/endpoints?${index}`,
      (index: number) => `/model/acme/b?${index}`
    ]) {
      atOnce.most = 0
      let open = () => {}
      gate = new Promise((resolve) => (open = resolve))
      let answered = 0
      const counted = async (index: number) => {
        const answer = await ask(pathOf(index))
        if (++answered === 300 - 256) open()
        return answer
      }
      const answers = await Promise.all(Array.from({ length: 300 }, (_, index) => counted(index)))
      assert.strictEqual(atOnce.most, 1)
      const refused = answers.filter(({ status }) => status !== 200)
      assert.lengthOf(refused, 300 - 256)
      for (const { status, text } of refused) {
        assert.strictEqual(status, 503)
        assert.strictEqual(JSON.parse(text).error.metadata.reason, "answers_in_flight")
      }
      assert.strictEqual((await ask(pathOf(0))).status, 200)
    }
  })

  it("and admissions measure the models of an account one at a time, and each once for all that ask at once", async () => {
    const models = ["own/a", "own/b", "own/c"]
    await sent("PUT", "/gateway/catalog?account=own", { models: models.map((id) => model(id)) })
    const { data } = await sent("POST", "/keys", { name: "sorts" })
    Object.assign(measured, { most: 0, all: 0 })
    const ask = (name: string) =>
      sent("POST", "/gateway/admissions", {
        api_key_hash: data.hash,
        model: name,
        max_tokens: 1,
        messages: [],
        provider: { sort: "latency" }
      })
    await Promise.all([...models, ...models, ...models].map(ask))
    assert.deepEqual(measured, { now: 0, most: 1, all: models.length })
    measured.most = 0
    await sent("GET", "/models?sort=latency-low-to-high&q=own")
    assert.strictEqual(measured.most, 1)
  })

  it("take names that every object has for names like others", async () => {
    for (const name of ["constructor", "__proto__", "toString", "hasOwnProperty", "valueOf"]) {
      for (const path of [`/model/${name}/${name}`, `/models/${name}/${name}/endpoints`, `/model/acme/${name}`])
        assert.strictEqual((await send("GET", path)).status, 404, path)
      for (const field of [
        "q",
        "supported_parameters",
        "input_modalities",
        "output_modalities",
        "providers",
        "model_authors",
        "arch"
      ])
        assert.isEmpty((await sent("GET", `/models?${field}=${name}`)).data, `${field}=${name}`)
      for (const field of ["sort", "category", "region", "distillable"])
        assert.strictEqual((await send("GET", `/models?${field}=${name}`)).status, 400, `${field}=${name}`)
    }
  })
})
