import { assert } from "@effect/vitest"
import { type CasesOf, managementOnly, storeGone } from "../http/Case.ts"
import { gatewayCancelCases } from "../access/gatewayKeyCases.ts"
import { heldAdmission } from "./renewAdmission.cases.ts"

const unknown = { params: { id: "nothing" } }

export const cancelAdmission: CasesOf = {
  operation: "cancelAdmission",
  cases: [
    ...gatewayCancelCases,
    {
      name: "and again",
      status: 200,
      run: async (world) => {
        const id = await heldAdmission(world)
        await world.call("cancelAdmission", { params: { id } })
        return world.call("cancelAdmission", { params: { id } })
      },
      check: ({ json }) => assert.deepEqual(json, { data: { released: true } })
    },
    {
      name: "of another account",
      status: 404,
      run: async (world) =>
        (await world.other()).call("cancelAdmission", { params: { id: await heldAdmission(world) } })
    },
    { name: "one nobody granted", status: 404, run: (world) => world.call("cancelAdmission", unknown) },
    ...managementOnly("cancelAdmission", () => unknown),
    storeGone("BudgetLedger", 500, async (world) => {
      world.installation.faults.mend()
      const id = await heldAdmission(world)
      world.installation.faults.break("BudgetLedger")
      return world.call("cancelAdmission", { params: { id } })
    })
  ]
}
