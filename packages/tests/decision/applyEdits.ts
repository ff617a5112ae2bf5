/**
 * Applies edits of `smallestChange` to guardrails, preferences, credentials and limits, in memory, to check that the edits suffice:
 * `explain` never writes them.
 */
import type { KeyRateLimits, PolicyEdit, ProviderPreferences, Region } from "@gatewarden/contract/internal"
import { parseUsd } from "../../core/src/value/money.ts"
import type { BudgetState } from "../../core/src/ports/ledger.ts"
import type { AppliedGuardrail } from "../../core/src/ports/policySources.ts"
import { fieldOf } from "../../core/src/ledger/judgeBudgets.ts"

export const editGuardrails = (
  applied: readonly AppliedGuardrail[],
  edits: readonly PolicyEdit[]
): readonly AppliedGuardrail[] =>
  applied.map(({ scope, guardrail }) => ({
    scope,
    guardrail: {
      ...guardrail,
      ...Object.fromEntries(
        edits.filter(({ guardrail_id }) => guardrail_id === guardrail.id).map(({ field, to }) => [field, to])
      )
    }
  }))

export const editPreferences = (
  preferences: ProviderPreferences,
  edits: readonly PolicyEdit[]
): ProviderPreferences => ({
  ...preferences,
  ...Object.fromEntries(
    edits
      .filter(({ scope, field }) => scope === "request" && field.startsWith("provider."))
      .map(({ field, to }) => [field.slice("provider.".length), to])
  )
})

/** Where the request comes in once it is sent as the edits say. */
export const editIngress = (ingress: Region, edits: readonly PolicyEdit[]): Region =>
  (edits.find(({ scope, field }) => scope === "request" && field === "ingress_region")?.to as Region | undefined) ??
  ingress

export const editRates = (limits: KeyRateLimits, edits: readonly PolicyEdit[]): KeyRateLimits => ({
  ...limits,
  ...Object.fromEntries(edits.filter(({ scope }) => scope === "rate_limit").map(({ field, to }) => [field, to]))
})

/** A limit that is edited to `null` is no longer a budget. */
export const editLimits = (states: readonly BudgetState[], edits: readonly PolicyEdit[]): readonly BudgetState[] =>
  states.flatMap((state) => {
    const { budget } = state
    const edit = edits.find(
      ({ scope, guardrail_id, field }) =>
        guardrail_id === budget.guardrail_id &&
        (guardrail_id !== null || scope === budget.scope) &&
        field === fieldOf(budget)
    )
    if (edit === undefined) return state
    return edit.to === null ? [] : { ...state, budget: { ...budget, limit_nanos: parseUsd(edit.to as number) ?? -1n } }
  })
