import type { QueryOf, listDestinations as declaration } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { resolveWorkspace } from "../access/resolveWorkspace.ts"
import { Destinations } from "../ports/destinations.ts"

/** Rule: observability#destinations. Every type in the table is of stable release status, so all are listed. */
export const listDestinations = operation("listDestinations")(function* (
  caller: Caller,
  { workspace_id, ...page }: QueryOf<typeof declaration>
) {
  const workspace = yield* resolveWorkspace(caller, workspace_id, "query.workspace_id")
  const destinations = yield* Destinations
  return yield* destinations.list(caller.account_id, { workspace_id: workspace }, page)
})
