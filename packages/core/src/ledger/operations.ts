import {
  type BudgetWarning as PrintedWarning,
  type ListedBudgetWarning,
  type RenewAdmission,
  defaultHoldSeconds
} from "@gatewarden/contract/internal"
import { Clock, Effect, Option } from "effect"
import { AdmissionTokens } from "../access/AdmissionTokens.ts"
import { type Caller, reachesWorkspace } from "../access/Caller.ts"
import { resolveWorkspace } from "../access/workspaceOfRequest.ts"
import { findBudgetNames } from "../naming/findNames.ts"
import { BudgetLedger, type BudgetWarning, KeyRateCounts } from "../ports/ledger.ts"
import { operation } from "../tracing/operation.ts"
import type { Page, PageRequest } from "../value/Page.ts"
import { formatInstant } from "../value/calendar.ts"
import { notFound, unknownAdmission } from "../value/failure.ts"
import { formatUsd } from "../value/money.ts"
import { AdmittedSizes, LiveAdmissions } from "./AdmittedSizes.ts"
import { printedBudgetState } from "./readKeyBudgets.ts"

/** The contents of an admission's id; 404 for an id that this installation never signed, or that of another account. */
export const requireAdmission = Effect.fnUntraced(function* (account_id: string, id: string) {
  const token = yield* (yield* AdmissionTokens).read(id)
  return token === undefined || token.account_id !== account_id ? yield* unknownAdmission() : token
})

/** Releases the hold; idempotent. Rule: admissions#expiry. */
export const cancelAdmission = operation("cancelAdmission")(function* (account_id: string, id: string) {
  const token = yield* requireAdmission(account_id, id)
  if (token.counted) yield* (yield* KeyRateCounts).finish(account_id, id, 0)
  if (token.holds) yield* (yield* BudgetLedger).release(account_id, id)
  ;(yield* LiveAdmissions).close(id)
  ;(yield* AdmittedSizes).close(id)
  return { released: true as const }
})

/** A warning as it is listed and told. */
export const printedWarning = (warning: BudgetWarning): PrintedWarning => ({
  kind: warning.kind,
  workspace_id: warning.workspace_id,
  ...printedBudgetState(warning),
  held_usd: warning.held_nanos === null ? null : formatUsd(warning.held_nanos),
  created_at: warning.created_at
})

/** Rule: money#budget-warnings, requests#names-beside-ids. */
export const listBudgetWarnings = operation("listBudgetWarnings")(function* (
  caller: Caller,
  { workspace_id, ...page }: PageRequest & { readonly workspace_id?: string | undefined }
) {
  // Without one: those of the whole account, unless the key is kept to workspaces.
  const isOfAll = workspace_id === undefined && (caller.restrictions?.workspace_ids ?? null) === null
  const workspace = isOfAll ? undefined : yield* resolveWorkspace(caller, workspace_id, "query.workspace_id")
  const { data, total_count } = yield* (yield* BudgetLedger).warnings(caller.account_id, workspace, page)
  const warnings = data.map(printedWarning)
  const namesOf = yield* findBudgetNames(caller.account_id, warnings, (id) => reachesWorkspace(caller, id))
  const listed: Page<ListedBudgetWarning> = {
    data: warnings.map((warning) => ({ ...warning, ...namesOf(warning) })),
    total_count
  }
  return listed
})

/**
 * Extends an admission from now. 404 for one that held money and has expired, or was settled or cancelled. For one that held nothing there
 * is no record, so it always succeeds. Rule: admissions#expiry.
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
