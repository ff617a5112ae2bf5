/** `unpriced_ceiling_usd` replaces unknown prices alone: a client may not lower its hold by a price that nobody knows. */
import {
  AdmissionSettings,
  defaultSettings,
  ensureDefaultAccount,
  HostAuthentication,
  layerInstance,
  layerMemory,
  newKeyring,
  parseKeyring
} from "@gatewarden/core/internal"
import { layerRoutes } from "@gatewarden/core/effect"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { catalogEndpoint, catalogModel } from "@gatewarden/conformance/internal/model/catalogModel"
import { Effect, Layer, Redacted } from "effect"
import { HttpRouter, HttpServer } from "effect/http"

/** A dollar a thousand tokens. */
const pricing = { prompt: "0.001", completion: "0.001" }
const model = "acme/sonnet"

describe("a request whose cost is not known holds", () => {
  let host: { readonly handler: (request: Request) => Promise<Response>; readonly dispose: () => Promise<void> }
  let api_key_hash: string

  const send = async (method: string, path: string, body: object) => {
    const request = new Request(`http://host.test/api/v1${path}`, {
      method,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body)
    })
    const answer = await host.handler(request)
    assert.strictEqual(answer.status, 200, await answer.clone().text())
    const { data } = (await answer.json()) as {
      readonly data: { readonly hash: string; readonly holds: readonly { readonly amount_usd: string }[] }
    }
    return data
  }

  beforeAll(async () => {
    const parsed = parseKeyring(Redacted.value(newKeyring("test", (size) => new Uint8Array(size).fill(7))))
    if ("problem" in parsed) throw new Error(parsed.problem)
    const settings = { completion_ceiling: 4096, billed_attempts: 2, unpriced_ceiling_usd: "0.5" }
    const routes = layerRoutes(defaultSettings).pipe(
      Layer.provide(Layer.effectDiscard(ensureDefaultAccount())),
      Layer.provide(layerInstance(layerMemory, parsed.keyring)),
      Layer.provide(Layer.succeed(AdmissionSettings, settings)),
      Layer.provide(
        Layer.succeed(HostAuthentication, () =>
          Effect.succeed({ kind: "management", account: "default", user: "ada" } as const)
        )
      ),
      Layer.provide(HttpServer.layerServices)
    )
    host = HttpRouter.toWebHandler(routes, { disableLogger: true })
    await send("PUT", "/gateway/catalog", {
      models: [catalogModel(model, { endpoints: [catalogEndpoint("openai", { pricing })] })]
    })
    api_key_hash = (await send("POST", "/keys", { name: "app", limit: 100 })).hash
  })
  afterAll(() => host.dispose())

  const held = async (fields: object) => {
    const asked = { api_key_hash, model, messages: [], ...fields }
    const { holds } = await send("POST", "/gateway/admissions", asked)
    return Number(holds[0]?.amount_usd)
  }

  it("the ceiling, and never less than what its known prices hold", async () => {
    const tier = { service_tier: "priority" }
    assert.strictEqual(await held({ ...tier, max_completion_tokens: 1 }), 0.5)
    const known = await held({ max_completion_tokens: 900 })
    assert.isAtLeast(known, 1.8)
    assert.isAtLeast(await held({ ...tier, max_completion_tokens: 900 }), known)
    assert.isAtLeast(await held({ tools: [{ type: "x" }], max_completion_tokens: 900 }), known)
  })
})
