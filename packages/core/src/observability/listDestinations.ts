import type { QueryOf, listDestinations as declaration } from "@gatewarden/contract"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { resolveWorkspace } from "../workspace/resolveWorkspace.ts"
import { Destinations } from "./Destinations.ts"

/** Operation 1. Every type in the table is of stable release status, so all are listed. */
export const listDestinations = Effect.fn("listDestinations")(function* (
  caller: Caller,
  { workspace_id, ...page }: QueryOf<typeof declaration>
) {
  const workspace = yield* resolveWorkspace(caller, workspace_id, "query.workspace_id")
  const destinations = yield* Destinations
  return yield* destinations.list(caller.account_id, { workspace_id: workspace }, page)
})
