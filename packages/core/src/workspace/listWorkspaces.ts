import type { Caller } from "../access/Caller.ts"
import type { PageRequest } from "../value/Page.ts"
import { operation } from "../tracing/operation.ts"
import { Workspaces } from "./Workspaces.ts"

/** Rule: requests#lists, workspaces#reading-a-workspace. */
export const listWorkspaces = operation("listWorkspaces")(function* (caller: Caller, page: PageRequest) {
  return yield* (yield* Workspaces).list(caller.account_id, page)
})
