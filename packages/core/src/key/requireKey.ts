import { Effect } from "effect"
import { notFound } from "../value/failure.ts"
import { ApiKeys } from "../ports/keys.ts"
import type { Caller } from "../access/Caller.ts"

/** An API key of the account. Management keys are not managed by hash. */
export const requireKey = Effect.fnUntraced(function* (caller: Caller, hash: string) {
  const [key] = yield* (yield* ApiKeys).list(caller.account_id, { kind: "normal", hashes: [hash] })
  return key ?? (yield* notFound())
})
