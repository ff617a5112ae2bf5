import type { UpdateWorkspace } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../failure.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { requireWorkspace } from "./requireWorkspace.ts"
import { slugTaken } from "./slugTaken.ts"
import { workspaceChange } from "./workspaceChange.ts"
import { Workspaces } from "./Workspaces.ts"

/** Applies at once on this process, within two seconds on every other. Rule: workspaces#updating-a-workspace. */
export const updateWorkspace = operation("updateWorkspace")(function* (
  caller: Caller,
  idOrSlug: string,
  fields: UpdateWorkspace
) {
  const { id } = yield* requireWorkspace(caller, idOrSlug)
  const outcome = yield* (yield* Workspaces).update(caller.account_id, id, workspaceChange(fields), yield* timestamp)
  if (outcome === "missing") return yield* notFound()
  if (outcome === "slug_taken") return yield* slugTaken()
  return outcome
})
