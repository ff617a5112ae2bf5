import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { type CasesOf, managementOnly, storeGone } from "../http/Case.ts"
import { destinationConfigs } from "./destinationConfigs.ts"
import { listCases } from "../http/listCases.ts"

/** Types in turn, because a workspace can have five of each. */
const types = Object.keys(destinationConfigs) as (keyof typeof destinationConfigs)[]
let turn = 0

const create = async (world: World, fields: Record<string, unknown> = {}): Promise<string> => {
  const type = types[turn++ % types.length] ?? "webhook"
  const made = await world.call("createDestination", {
    body: { type, config: destinationConfigs[type].sent, ...fields }
  })
  return made.json.data.id
}

export const listDestinations: CasesOf = {
  operation: "listDestinations",
  cases: [
    {
      name: "every type",
      status: 200,
      run: async (world) => {
        for (const type of types)
          await world.call("createDestination", { body: { type, config: destinationConfigs[type].sent } })
        return world.call("listDestinations")
      },
      check: ({ json }) => {
        assert.strictEqual(json.total_count, types.length)
        assert.sameMembers(
          json.data.map((item: { type: string }) => item.type),
          types
        )
      }
    },
    {
      name: "disabled ones, too",
      status: 200,
      run: async (world) => {
        await create(world, { enabled: false })
        return world.call("listDestinations")
      },
      check: ({ json }) => assert.strictEqual(json.data[0].enabled, false)
    },
    ...listCases("listDestinations", (world, workspace_id) =>
      create(world, workspace_id === undefined ? {} : { workspace_id })
    ),
    ...managementOnly("listDestinations", () => ({})),
    storeGone("Destinations", 500, (world) => world.call("listDestinations"))
  ]
}
