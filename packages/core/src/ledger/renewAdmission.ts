import { defaultHoldSeconds, type RenewAdmission } from "@gatewarden/contract"
import { Clock, Option } from "effect"
import { notFound } from "../value/failure.ts"
import { formatInstant } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { AdmittedSizes } from "./AdmittedSizes.ts"
import { BudgetLedger, KeyRateCounts } from "../ports/ledger.ts"
import { LiveAdmissions } from "./LiveAdmissions.ts"
import { requireAdmission } from "./requireAdmission.ts"

/**
 * Extends an admission from now. 404 for one that held money and has expired, or was settled or cancelled. For one that held nothing there
 * is no record, so it always succeeds.
 */
export const renewAdmission = operation("renewAdmission")(function* (
  account_id: string,
  id: string,
  sent: RenewAdmission
) {
  const token = yield* requireAdmission(account_id, id)
  const hold_seconds = sent.hold_seconds ?? defaultHoldSeconds
  const expires_at = (yield* Clock.currentTimeMillis) + hold_seconds * 1000
  const live = yield* LiveAdmissions
  ;(yield* AdmittedSizes).renew(id, expires_at)
  if (token.counted) yield* (yield* KeyRateCounts).renew(account_id, id, hold_seconds)
  if (!token.holds) {
    live.renew(id, expires_at)
    return { expires_at: formatInstant(expires_at) }
  }
  const renewed = yield* (yield* BudgetLedger).renew(account_id, id, hold_seconds)
  if (Option.isNone(renewed)) return yield* notFound()
  live.renew(id, expires_at)
  return { expires_at: renewed.value }
})
