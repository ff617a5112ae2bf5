/** The credentials of a workspace, through the cache. */
import { Effect } from "effect"
import { ByokCredentials } from "../byok/ByokCredentials.ts"
import { DecisionCache } from "./DecisionCache.ts"

/** A workspace has a handful of credentials; more than this number are ignored. */
const maxCredentials = 10_000

export const credentialsOf = Effect.fnUntraced(function* (account_id: string, workspace_id: string) {
  const { credentials } = yield* DecisionCache
  return yield* credentials.get(
    workspace_id,
    Effect.flatMap(ByokCredentials, (port) =>
      Effect.map(port.list(account_id, { workspace_id }, { limit: maxCredentials, offset: 0 }), ({ data }) => data)
    ),
    account_id
  )
})
