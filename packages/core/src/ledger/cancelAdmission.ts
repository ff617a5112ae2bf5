import { operation } from "../tracing/operation.ts"
import { AdmittedSizes } from "./AdmittedSizes.ts"
import { BudgetLedger, KeyRateCounts } from "../ports/ledger.ts"
import { LiveAdmissions } from "./LiveAdmissions.ts"
import { requireAdmission } from "./requireAdmission.ts"

/** Releases the hold; idempotent. */
export const cancelAdmission = operation("cancelAdmission")(function* (account_id: string, id: string) {
  const token = yield* requireAdmission(account_id, id)
  if (token.counted) yield* (yield* KeyRateCounts).finish(account_id, id, 0)
  if (token.holds) yield* (yield* BudgetLedger).release(account_id, id)
  ;(yield* LiveAdmissions).close(id)
  ;(yield* AdmittedSizes).close(id)
  return { released: true as const }
})
