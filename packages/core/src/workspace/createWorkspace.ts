import type { CreateWorkspace } from "@gatewarden/contract"
import { authorOf, type Caller } from "../access/Caller.ts"
import { requireRoom } from "../limits/requireRoom.ts"
import { Entropy } from "../platform/Entropy.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { newWorkspace } from "./newWorkspace.ts"
import { Workspaces, shownWorkspace } from "../ports/workspaces.ts"
import { slugTaken } from "./slugTaken.ts"

/** Rule: workspaces#new-workspaces. */
export const createWorkspace = operation("createWorkspace")(function* (caller: Caller, fields: CreateWorkspace) {
  yield* requireRoom("workspaces_per_account", caller)
  const workspaces = yield* Workspaces
  const workspace = newWorkspace((yield* Entropy).uuid(), fields, authorOf(caller), yield* timestamp)
  if (yield* workspaces.insert(caller.account_id, workspace)) return shownWorkspace(workspace, false)
  return yield* slugTaken()
})
