/** The first door, as Node loads it and as others do. */
import { assert, describe, it } from "@effect/vitest"
import * as eager from "../../core/src/index.ts"
import * as lazy from "../../core/src/lazyIndex.ts"

describe("the door as Node loads it", () => {
  it("has the same names", () => {
    assert.sameMembers(Object.keys(lazy), Object.keys(eager))
    assert.strictEqual(lazy.GatewardenRefusal, eager.GatewardenRefusal)
    assert.strictEqual(lazy.mergePreset, eager.mergePreset)
    assert.strictEqual(lazy.toNextHandlers, eager.toNextHandlers)
  })

  for (const [store, { memory }] of Object.entries({ lazy, eager }))
    it(`makes instances over the ${store} store, which share nothing`, async () => {
      const instances = await Promise.all([
        lazy.createGatewarden({ store: memory() }),
        lazy.createGatewarden({ store: memory() })
      ])
      const [one, other] = instances
      const statusOf = async (gatewarden: eager.Gatewarden) => {
        const headers = { authorization: `Bearer ${one?.generatedKey}` }
        return (await gatewarden.fetch(new Request("http://localhost/api/v1/guardrails", { headers }))).status
      }
      assert.strictEqual(one && (await statusOf(one)), 200)
      assert.strictEqual(other && (await statusOf(other)), 401)
      await Promise.all(instances.map((gatewarden) => gatewarden.close()))
    })

  it("refuses what the other refuses, in the same words", async () => {
    const messages = await Promise.all(
      [lazy, eager].map(({ createGatewarden, memory }) =>
        createGatewarden({ store: memory(), basePath: "api" }).then(
          () => assert.fail("was made"),
          (cause: unknown) => String(cause)
        )
      )
    )
    assert.match(messages[0] ?? "", /^TypeError: createGatewarden: basePath must be/)
    assert.strictEqual(messages[0], messages[1])
    for (const store of [lazy.memory, { load: "memory" }])
      await lazy.createGatewarden({ store: store as never }).then(
        () => assert.fail("was made"),
        (cause: unknown) => assert.match(String(cause), /store must be a store/)
      )
  })
})
