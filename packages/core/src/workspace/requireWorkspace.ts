import { Effect, Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { Workspaces } from "../ports/workspaces.ts"

/** The workspace of the account that a path names by id or slug. */
export const requireWorkspace = Effect.fnUntraced(function* (caller: Caller, idOrSlug: string) {
  const found = yield* (yield* Workspaces).find(caller.account_id, idOrSlug)
  return Option.isSome(found) ? found.value : yield* notFound()
})
