import { assert } from "@effect/vitest"
import { type CasesOf, managementOnly, storeGone } from "../http/Case.ts"
import { boundsCases } from "../http/listCases.ts"
import { absentCases, nobody } from "../http/nounCases.ts"
import type { World } from "../World.ts"
import { letDie, newUnreachable, withDeadLetter } from "./letDie.ts"

const list = (world: World, id: string) => world.call("listDeadLetters", { params: { id } })

export const listDeadLetters: CasesOf = {
  operation: "listDeadLetters",
  cases: [
    {
      name: "the latest first, without bodies",
      status: 200,
      run: async (world) => {
        const id = await newUnreachable(world)
        const other = await newUnreachable(world, { api_key_hashes: [world.normalKeyHash] })
        await letDie(world, id, ["a", "b"])
        const first = new Date(world.installation.clock.now).toISOString()
        world.installation.clock.now += 1_000
        await letDie(world, id, ["c"])
        const last = new Date(world.installation.clock.now).toISOString()
        const answer = await list(world, id.toUpperCase())
        const refused = { status: 400, message: "The platform answered 400." }
        assert.deepEqual(answer.json, {
          data: [
            { ...refused, event_id: "c", died_at: last },
            { ...refused, event_id: "b", died_at: first },
            { ...refused, event_id: "a", died_at: first }
          ],
          total_count: 3
        })
        const page = await world.call("listDeadLetters", { params: { id }, query: { limit: "1", offset: "1" } })
        assert.deepEqual(page.json, { data: [answer.json.data[1]], total_count: 3 })
        assert.deepEqual((await list(world, other)).json, { data: [], total_count: 0 })
        return answer
      }
    },
    ...boundsCases("listDeadLetters", async (world) => ({ params: { id: await newUnreachable(world) } })),
    ...managementOnly("listDeadLetters", () => ({ params: { id: nobody } })),
    ...absentCases("listDeadLetters", withDeadLetter),
    storeGone("Destinations", 500, (world) => list(world, nobody))
  ]
}
