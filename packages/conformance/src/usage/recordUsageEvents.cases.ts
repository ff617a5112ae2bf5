import { type CasesOf, managementOnly, storeGone } from "../http/Case.ts"
import { accounts } from "./recordUsageEvents/accounts.ts"
import { adjustments } from "./recordUsageEvents/adjustments.ts"
import { bodies } from "./recordUsageEvents/bodies.ts"
import { fields } from "./recordUsageEvents/fields.ts"
import { instants } from "./recordUsageEvents/instants.ts"
import { names } from "./recordUsageEvents/names.ts"
import { once } from "./recordUsageEvents/once.ts"
import { workspaces } from "./recordUsageEvents/workspaces.ts"
import { event, record } from "./recordUsageEvents/scene.ts"

export const recordUsageEvents: CasesOf = {
  operation: "recordUsageEvents",
  cases: [
    ...once,
    ...workspaces,
    ...accounts,
    ...names,
    ...instants,
    ...fields,
    ...bodies,
    ...adjustments,
    ...managementOnly("recordUsageEvents", () => ({ body: { events: [event] } })),
    storeGone("UsageLog", 500, (world) => record(world, {})),
    storeGone("ModelCatalog", 500, (world) => record(world, {}))
  ]
}
