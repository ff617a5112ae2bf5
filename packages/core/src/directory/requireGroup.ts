import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { DirectoryGroups } from "../ports/directory.ts"

/** The group of the caller's account, or 404. */
export const requireGroup = Effect.fnUntraced(function* ({ account_id }: Caller, id: string) {
  const sought = { ids: [id], names: [], external_ids: [], members: [] }
  const [group] = yield* (yield* DirectoryGroups).find(account_id, sought, { limit: 1, offset: 0 })
  return group ?? (yield* notFound())
})
