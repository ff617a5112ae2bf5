import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { type CasesOf, managementOnly, storeGone } from "../http/Case.ts"
import { fullPageCase, listCases } from "../http/listCases.ts"

const create = async (world: World, fields: Record<string, unknown> = {}) =>
  (await world.call("createGuardrail", { body: { name: "One", ...fields } })).json.data

export const listGuardrails: CasesOf = {
  operation: "listGuardrails",
  cases: [
    {
      name: "as they were created, and the default one once it was updated",
      status: 200,
      run: async (world) => {
        const made = await create(world, {
          limit_usd: 0.000000001,
          reset_interval: "daily",
          allowed_models: ["b", "a"]
        })
        world.installation.clock.now += 1
        const updated = await world.call("updateGuardrail", {
          params: { id: world.default_guardrail_id },
          body: { ignored_models: ["c"] }
        })
        const listed = await world.call("listGuardrails")
        assert.deepEqual(listed.json, { data: [made, updated.json.data], total_count: 2 })
        return listed
      }
    },
    ...listCases(
      "listGuardrails",
      async (world, workspace_id) => (await create(world, workspace_id === undefined ? {} : { workspace_id })).id
    ),
    fullPageCase("listGuardrails", async (world, bytes) => {
      const content_filters = Array.from({ length: bytes / 10_000 }, () => ({
        pattern: `[${"x".repeat(9_958)}]`,
        action: "block"
      }))
      return (await create(world, { content_filters })).id
    }),
    ...managementOnly("listGuardrails", () => ({})),
    storeGone("Guardrails", 500, (world) => world.call("listGuardrails"))
  ]
}
