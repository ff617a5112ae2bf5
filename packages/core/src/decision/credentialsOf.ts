/** The credentials of a workspace, through the cache. Callers that ask at once get one array, as printed answers stand on it. */
import { Effect } from "effect"
import { ByokCredentials } from "../ports/byok.ts"
import { everyEntry } from "../value/Page.ts"
import { DecisionCache } from "../policy/DecisionCache.ts"

/** A workspace has a handful of credentials; more than this number are ignored. */
const maxCredentials = 10_000

export const credentialsOf = Effect.fnUntraced(function* (account_id: string, workspace_id: string) {
  const { credentials } = yield* DecisionCache
  return yield* credentials.share(
    workspace_id,
    Effect.flatMap(ByokCredentials, (port) =>
      everyEntry((page) => port.list(account_id, { workspace_id }, page), maxCredentials)
    ),
    account_id
  )
})
