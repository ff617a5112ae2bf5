import { assert } from "@effect/vitest"
import { type CasesOf, malformedIdempotencyKey, managementOnly, storeGone } from "../http/Case.ts"
import { absentCases, nobody, tenInAnyMinute } from "../http/nounCases.ts"
import type { World } from "../World.ts"
import { newUnreachable } from "./letDie.ts"

const test = (world: World, id: string) => world.call("testDestination", { params: { id } })

export const testDestination: CasesOf = {
  operation: "testDestination",
  cases: [
    {
      name: "that nobody reaches, also when it is disabled; nothing is recorded",
      status: 200,
      run: async (world) => {
        const id = await newUnreachable(world, { enabled: false })
        const answer = await test(world, id)
        const log = await world.call("listDeliveries", { params: { id } })
        assert.deepEqual(log.json.data, [])
        assert.strictEqual(log.json.status.waiting, 0)
        return answer
      },
      check: ({ json, text }) => {
        assert.strictEqual(json.data.outcome, "failed")
        assert.isNotNull(json.data.message)
        assert.notInclude(text, "0123456789abcdefghij")
      }
    },
    tenInAnyMinute("testDestination"),
    malformedIdempotencyKey("testDestination", { id: nobody }),
    ...managementOnly("testDestination", () => ({ params: { id: nobody } })),
    ...absentCases("testDestination", newUnreachable),
    storeGone("Destinations", 500, (world) => test(world, nobody))
  ]
}
