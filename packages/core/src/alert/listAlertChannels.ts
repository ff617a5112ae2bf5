import type { QueryOf, listAlertChannels as declaration } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { resolveWorkspace } from "../access/resolveWorkspace.ts"
import { AlertChannels } from "../ports/alerts.ts"
import { shownChannels } from "./confirmRecipients.ts"

/** Rule: alerts#channels, requests#lists. */
export const listAlertChannels = operation("listAlertChannels")(function* (
  caller: Caller,
  { workspace_id, ...page }: QueryOf<typeof declaration>
) {
  const workspace = yield* resolveWorkspace(caller, workspace_id, "query.workspace_id")
  const { data, total_count } = yield* (yield* AlertChannels).list(caller.account_id, { workspace_id: workspace }, page)
  return { data: yield* shownChannels(caller.account_id, data), total_count }
})
