/** The Worker of the examples, bundled as its readers bundle it and run by the real workerd. */
import { afterEach, assert, beforeAll, describe, it } from "@effect/vitest"
import { fileURLToPath } from "node:url"
import { bundleSize } from "../../bench/src/bundleSize.ts"
import { bundleForWorker, type WorkerBundle } from "@gatewarden/testkit/worker/bundleForWorker"
import { startBundle } from "@gatewarden/testkit/worker/startBundle"
import type { Workerd } from "@gatewarden/testkit/worker/workerd"

const example = (path: string): string =>
  fileURLToPath(new URL(`../../../examples/embed-worker/${path}`, import.meta.url))
const configuration = example("worker.capnp")
const key = "worker-management-key-0123456789-abcdef"

let bundle: WorkerBundle
beforeAll(async () => {
  bundle = await bundleForWorker({ entry: example("src/worker.ts"), minify: true })
})

let workerd: Workerd | undefined
afterEach(async () => {
  await workerd?.stop()
  workerd = undefined
})

const start = async (code: WorkerBundle): Promise<string> => {
  workerd = await startBundle(code, { configuration, environment: { GATEWARDEN_MANAGEMENT_KEY: key } })
  return `${workerd.origin}/api/v1`
}

const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" }

const send = async (url: string, body?: unknown, signal?: AbortSignal) => {
  const answer = await fetch(url, {
    headers,
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    ...(signal === undefined ? {} : { signal })
  })
  const { data, error, ...rest } = (await answer.json()) as Record<string, Readonly<Record<string, unknown>>>
  return { status: answer.status, data, error, rest }
}

describe("the example Worker", () => {
  it("is one module that imports nothing", () => {
    assert.deepEqual(bundle.imports, [])
    assert.notMatch(bundle.code, /\brequire\s*\(/)
  })

  it("runs where there is nothing of Node", async () => {
    const names = ["process", "Buffer", "setImmediate", "require", "global"]
    const code = `export default { fetch: () => Response.json({ data: ${JSON.stringify(names)}.filter((name) => name in globalThis) }) }`
    const { data } = await send(await start({ ...bundle, code }))
    assert.deepEqual<unknown>(data, [])
  })

  it("answers", async () => {
    const url = await start(bundle)

    const guardrail = await send(`${url}/guardrails`, { name: "Production", limit_usd: 50, reset_interval: "daily" })
    assert.strictEqual(guardrail.status, 200)
    assert.include(guardrail.data, { name: "Production", limit_usd: 50, reset_interval: "daily" })

    const refused = await send(`${url}/guardrails`, { name: "Production", limit_usd: 50 })
    assert.strictEqual(refused.status, 400)
    assert.include(refused.error, { code: 400, message: "Invalid request parameters" })

    const preset = await send(`${url}/presets/brief/chat/completions`, {
      model: "author/slug",
      messages: [{ role: "system", content: "Be brief." }]
    })
    assert.strictEqual(preset.status, 200)

    const secret = "sk-0123456789-abcdefghijklmnopqrstuvwxyz"
    const credential = await send(`${url}/byok`, { key: secret, provider: "openai", name: "Ours" })
    assert.strictEqual(credential.status, 200)
    assert.include(credential.data, { label: "sk-...wxyz", provider: "openai" })

    const document = await send(`${url}/openapi.json`)
    assert.strictEqual(document.status, 200)
    assert.strictEqual(document.rest["openapi"], "3.1.0" as never)
    assert.notInclude(workerd?.output() ?? "", secret)
  })

  it("starts once, whoever hangs up meanwhile", async () => {
    const url = await start(bundle)
    const hangUps = Array.from({ length: 20 }, () => {
      const controller = new AbortController()
      const asked = send(`${url}/workspaces/default`, undefined, controller.signal)
      setImmediate(() => controller.abort())
      return asked.catch(() => undefined)
    })
    const others = Array.from({ length: 20 }, () => send(`${url}/workspaces/default`))
    const ids = (await Promise.all([...hangUps, ...others])).flatMap((answer) => answer?.data?.["id"] ?? [])
    assert.isAtLeast(ids.length, 20)
    assert.lengthOf(new Set(ids), 1)
  })
})

describe("the core in a bundle", () => {
  it("has a size that a Worker may have", async () => {
    const { bytes, gzipBytes } = await bundleSize()
    assert.isBelow(gzipBytes, bytes)
    // Workers on the free plan may be 3 MB when compressed. It is 501 kB, of which 28 are descriptions of fields: a Worker serves the
    // OpenAPI document, too. Zod's locales alone would be 65 more.
    assert.isBelow(gzipBytes, 510_000)
  })
})
