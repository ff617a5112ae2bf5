/**
 * A settlement that leaves units out is charged alike by every process, whichever admitted the request. Rule: money#cost-of-usage.
 */
import { fetchDoor, Installation } from "@gatewarden/conformance"
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import type { StorePorts } from "@gatewarden/core/store"
import { type Context, Effect, Exit, Layer, Scope } from "effect"
import { pricedModel } from "@gatewarden/conformance/internal/admission/admissionBounds"
import { ask, limitedKey, nowOf } from "@gatewarden/conformance/internal/admission/admissionWorld"
import { World } from "@gatewarden/conformance/internal/World"
import { everyStore } from "@gatewarden/testkit/stores/stores"

const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } }
const pricing = { prompt: "0.001", completion: "0.01", image: "0.5", internal_reasoning: "0.02" }

const reports = {
  "nothing of the prompt": { completion_tokens: 5 },
  "no images": { prompt_tokens: 10, completion_tokens: 5 },
  "nothing at all": {},
  "all units": { prompt_tokens: 10, completion_tokens: 5, reasoning_tokens: 0, images: 2 }
}

for (const [title, store] of everyStore)
  describe(`settlements at another process on ${title}`, () => {
    const scope = Scope.makeUnsafe()
    let admitting: Installation
    let settling: Installation
    beforeAll(async () => {
      const context: Context.Context<StorePorts> = await Effect.runPromise(Scope.provide(Layer.build(store), scope))
      const shared = { store: Layer.succeedContext(context), door: fetchDoor }
      admitting = await Installation.start(shared)
      settling = await Installation.start(shared)
    })
    afterAll(async () => {
      await admitting.stop()
      await settling.stop()
      await Effect.runPromise(Scope.close(scope, Exit.void))
    })

    for (const [name, usage] of Object.entries(reports))
      it(`charges what the admitting process would where it reports ${name}`, async () => {
        const world = await admitting.newWorld()
        const model = await pricedModel(world, pricing)
        const api_key_hash = await limitedKey(world, 1_000_000, {})
        const messages = [{ role: "user", content: [{ type: "text", text: "Hello" }, image, image] }]
        const charged = async (where: World) => {
          const { data } = (await ask(world, { model, messages, max_completion_tokens: 1000, api_key_hash })).json
          assert.strictEqual(data.decision, "allow", JSON.stringify(data.reasons))
          const body = { event: { created_at: nowOf(world), model, provider: "acme", ...usage } }
          const answer = await where.call("settleAdmission", { params: { id: data.id }, body })
          assert.strictEqual(answer.status, 200, answer.text)
          return [answer.json.data.charged[0].amount_usd, data.holds[0].amount_usd]
        }
        const [here, held] = await charged(world)
        const [there] = await charged(new World(settling, world))
        assert.strictEqual(there, here)
        if (name !== "nothing at all") assert.isBelow(Number(there), Number(held))
      })
  })
