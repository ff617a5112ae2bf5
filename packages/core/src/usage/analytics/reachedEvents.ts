import { reachedWorkspaces } from "../../access/restrictions.ts"
import type { Caller } from "../../access/Caller.ts"
import type { DimensionFilter } from "../../ports/analytics.ts"

/** Keeps a plan to the workspaces that the caller reaches. Rule: access#restricted-keys. */
export const reachedEvents = (caller: Caller): readonly DimensionFilter[] => {
  const values = reachedWorkspaces(caller)
  return values === undefined ? [] : [{ dimension: "workspace", operator: "in", values, include_unset: false }]
}
