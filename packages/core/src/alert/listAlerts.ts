import type { Alert, QueryOf, listAlerts as declaration } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { reachesWorkspace } from "../access/restrictions.ts"
import type { Page } from "../value/Page.ts"
import { operation } from "../tracing/operation.ts"
import { resolveWorkspace } from "../access/resolveWorkspace.ts"
import { Alerts } from "../ports/alerts.ts"
import { nameAlerts } from "./nameAlerts.ts"

/** Rule: alerts#list-of-alerts, requests#lists, requests#names-beside-ids. */
export const listAlerts = operation("listAlerts")(function* (
  caller: Caller,
  { workspace_id, ...page }: QueryOf<typeof declaration>
) {
  const workspace = yield* resolveWorkspace(caller, workspace_id, "query.workspace_id")
  const { data, total_count } = yield* (yield* Alerts).list(caller.account_id, { workspace_id: workspace }, page)
  const named = yield* nameAlerts(caller.account_id, data, (id) => reachesWorkspace(caller, id))
  const listed: Page<Alert> = {
    data: named.map(({ deliveries, ...alert }) => ({ ...alert, deliveries: [...deliveries] })),
    total_count
  }
  return listed
})
