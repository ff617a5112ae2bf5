import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { reachedWorkspaces, reachesWorkspace } from "../access/restrictions.ts"
import { ApiKeys } from "../ports/keys.ts"

/**
 * The hashes without those of keys in workspaces that the caller does not reach. A key never leaves its workspace, so what is found here
 * holds for the change that follows. Rule: access#restricted-keys.
 */
export const keysWithinReach = Effect.fnUntraced(function* (caller: Caller, hashes: readonly string[]) {
  if (reachedWorkspaces(caller) === undefined) return hashes
  const keys = yield* (yield* ApiKeys).list(caller.account_id, { kind: "normal", hashes })
  const reached = new Set(keys.filter((key) => reachesWorkspace(caller, key.workspace_id)).map(({ hash }) => hash))
  return hashes.filter((hash) => reached.has(hash))
})
