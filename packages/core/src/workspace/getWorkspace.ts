import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { Workspaces } from "../ports/workspaces.ts"

/** A management key reads any workspace of its account, another key only its own (Rule: workspaces#reading-a-workspace). */
export const getWorkspace = operation("getWorkspace")(function* (caller: Caller, idOrSlug: string) {
  const workspaces = yield* Workspaces
  const found = yield* workspaces.find(caller.account_id, idOrSlug)
  if (Option.isNone(found)) return yield* notFound()
  if (caller.kind !== "management" && found.value.id !== caller.workspace_id) return yield* notFound()
  return found.value
})
