import { Effect } from "effect"
import { DecisionCache } from "../decision/DecisionCache.ts"
import type { ApiKey } from "./ApiKey.ts"
import { KeyCache } from "./KeyCache.ts"

/** Removes one key from the cache of this process after a committed change. Other entries stay. */
export const forgetKey = Effect.fnUntraced(function* ({ account_id, hash }: Pick<ApiKey, "account_id" | "hash">) {
  ;(yield* KeyCache).forget(hash)
  ;(yield* DecisionCache).sources.forget(hash, account_id)
})
