import { Workspaces } from "@gatewarden/core/store"
import { Effect, Option } from "effect"
import { failed } from "../failure/Failed.ts"

/** A workspace that is named by id or slug. */
export const workspaceNamed = Effect.fnUntraced(function* (
  account_id: string,
  { account, workspace }: { readonly account: string; readonly workspace: string }
) {
  const found = yield* (yield* Workspaces).find(account_id, workspace)
  if (Option.isSome(found)) return found.value
  return yield* failed("missing", `There is no workspace "${workspace}" in the account "${account}"`)
})
