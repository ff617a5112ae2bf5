import type { UpdateWorkspace } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { Forbidden, notFound } from "../value/failure.ts"
import { reachedWorkspaces } from "../access/restrictions.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { requireWorkspace } from "./requireWorkspace.ts"
import { slugTaken } from "./slugTaken.ts"
import { Workspaces, workspaceChange } from "../ports/workspaces.ts"

/** Applies at once on this process, within two seconds on every other. Rule: workspaces#updating-a-workspace, access#restricted-keys. */
export const updateWorkspace = operation("updateWorkspace")(function* (
  caller: Caller,
  idOrSlug: string,
  fields: UpdateWorkspace
) {
  const { id, slug } = yield* requireWorkspace(caller, idOrSlug)
  // Whether a slug is free tells of workspaces that the key does not reach.
  if (fields.slug !== undefined && fields.slug !== slug && reachedWorkspaces(caller) !== undefined)
    return yield* new Forbidden({
      reason: "restricted_key",
      issues: [
        {
          path: "slug",
          code: "workspace_ids",
          message: "A key that is restricted to workspaces cannot change a slug, which is unique in the whole account"
        }
      ]
    })
  const outcome = yield* (yield* Workspaces).update(caller.account_id, id, workspaceChange(fields), yield* timestamp)
  if (outcome === "missing") return yield* notFound()
  if (outcome === "slug_taken") return yield* slugTaken()
  return outcome
})
