import { Effect } from "effect"
import { DecisionCache } from "../decision/DecisionCache.ts"
import type { ApiKey } from "./ApiKey.ts"
import { KeyCache } from "./KeyCache.ts"

/** Makes a committed change of a key count on this process. No other key is forgotten. */
export const forgetKey = Effect.fnUntraced(function* ({ account_id, hash }: Pick<ApiKey, "account_id" | "hash">) {
  ;(yield* KeyCache).forget(hash)
  ;(yield* DecisionCache).sources.forget(hash, account_id)
})
