/** What a process remembers of its admissions: those alone whose credentials somebody in it can open, for as long as they last. */
import { assert, it } from "@effect/vitest"
import { fetchDoor } from "@gatewarden/conformance"
import { admit, layerMemory, LiveAdmissions } from "@gatewarden/core/internal"

import { Effect } from "effect"
import { ask, openMarket } from "@gatewarden/conformance/internal/admission/admissionWorld"
import { Installation } from "@gatewarden/conformance/internal/Installation"

const ingress = { region: "global", docs: "errors/" } as const

it("an admission over HTTP leaves nothing in memory, and one in process goes when it expires", async () => {
  const installation = await Installation.start({ store: layerMemory, door: fetchDoor })
  try {
    const world = await installation.newWorld()
    const { sonnet } = await openMarket(world)
    const size = () => installation.run(Effect.map(LiveAdmissions, (live) => live.size()))
    const inProcess = () =>
      installation.run(
        admit(world.account_id, { api_key_hash: world.normalKeyHash, model: sonnet, hold_seconds: 30 }, ingress)
      )
    assert.strictEqual((await inProcess()).admission.decision, "allow")
    assert.strictEqual(await size(), 0, "no candidate has a credential")
    assert.strictEqual(
      (await world.call("createByokCredential", { body: { provider: "openai", key: "sk-1" } })).status,
      200
    )
    const { status, json } = await ask(world, { model: sonnet })
    assert.strictEqual(status, 200)
    assert.include(JSON.stringify(json.data.candidates), '"byok"')
    assert.strictEqual(await size(), 0, "nobody can open a credential over HTTP")
    for (let second = 1; second <= 120; second++) {
      installation.clock.now += 1_000
      assert.isDefined((await inProcess()).live)
      assert.strictEqual(await size(), Math.min(second, 30))
    }
  } finally {
    await installation.stop()
  }
})
