import { Effect, Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { reachedWorkspaces } from "../access/restrictions.ts"
import type { PageRequest } from "../value/Page.ts"
import { compareText } from "../value/compareText.ts"
import { operation } from "../tracing/operation.ts"
import { Workspaces } from "../ports/workspaces.ts"

/** Look-ups at a time. */
const atOnce = 8

/** Rule: requests#lists, workspaces#reading-a-workspace, access#restricted-keys. */
export const listWorkspaces = operation("listWorkspaces")(function* (caller: Caller, page: PageRequest) {
  const workspaces = yield* Workspaces
  const reached = reachedWorkspaces(caller)
  if (reached === undefined) return yield* workspaces.list(caller.account_id, page)
  // A key names at most a hundred of them; one of them may have been deleted since.
  const found = yield* Effect.forEach(reached, (id) => workspaces.find(caller.account_id, id), { concurrency: atOnce })
  const all = found
    .flatMap((one, index) => (Option.isSome(one) && one.value.id === reached[index] ? [one.value] : []))
    .sort((a, b) => compareText(a.created_at, b.created_at) || compareText(a.id, b.id))
  return { data: all.slice(page.offset, page.offset + page.limit), total_count: all.length }
})
