import type { Alert, QueryOf, listAlerts as declaration } from "@gatewarden/contract"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import type { Page } from "../value/Page.ts"
import { operation } from "../tracing/operation.ts"
import { resolveWorkspace } from "../workspace/resolveWorkspace.ts"
import { Alerts } from "./Alerts.ts"

/** Rule: alerts#list-of-alerts, requests#lists. */
export const listAlerts = operation("listAlerts")(function* (
  caller: Caller,
  { workspace_id, ...page }: QueryOf<typeof declaration>
) {
  const workspace = yield* resolveWorkspace(caller, workspace_id, "query.workspace_id")
  return yield* Effect.map(
    (yield* Alerts).list(caller.account_id, { workspace_id: workspace }, page),
    ({ data, total_count }): Page<Alert> => ({
      data: data.map(({ deliveries, ...alert }) => ({ ...alert, deliveries: [...deliveries] })),
      total_count
    })
  )
})
