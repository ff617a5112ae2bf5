import { Entropy } from "../platform/Entropy.ts"
import { operation } from "../tracing/operation.ts"
import { timestamp } from "../value/timestamp.ts"
import { Credits } from "../ports/credits.ts"

/** Grants credits to an account, or revokes them with a negative amount, for the command line. Rule: money#credits. */
export const grantCredits = operation("grantCredits")(function* (
  account_id: string,
  amount_nanos: bigint,
  note: string
) {
  const id = (yield* Entropy).uuid()
  const created_at = yield* timestamp
  return yield* (yield* Credits).append(account_id, { id, amount_nanos, note, created_at })
})
