/**
 * The decision that `admit` would make, with its whole proof, and nothing changed. Also for a world with a proposed change.
 *
 * Source: decisions 14 (explanations).
 */
import type { CreateExplanation, Explanation, ProposedChange, Region } from "@gatewarden/contract"
import { Clock, Effect, Option } from "effect"
import { defaultGuardrailId } from "../guardrail/defaultGuardrailId.ts"
import { guardrailChange, unrestricted } from "../guardrail/guardrailChange.ts"
import { refusePatterns } from "../guardrail/createGuardrail.ts"
import { formatInstant } from "../platform/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { formatUsd } from "../usage/money.ts"
import { printedCandidate, printedWindow } from "./admit.ts"
import { BudgetLedger } from "./BudgetLedger.ts"
import type { AppliedGuardrail } from "./CompiledPolicy.ts"
import { compiledSource, compileSource } from "./compiledSource.ts"
import { allows, prove } from "./decide.ts"
import type { CompiledSource } from "./DecisionCache.ts"
import { denialOf } from "./denial.ts"
import { openRegions } from "./Policy.ts"
import { smallestChange } from "./smallestChange.ts"
import { unknownKey, type Weighing, weighRequest } from "./weighRequest.ts"

/** The id of a guardrail that does not exist yet. */
const proposedId = "00000000-0000-0000-0000-000000000000"

/** The guardrails as they would be: the one of the scope changed, or a new one where none applies. */
export const withChange = (
  applied: readonly AppliedGuardrail[],
  { scope, patch }: ProposedChange,
  workspace_id: string,
  now: string
): readonly AppliedGuardrail[] => {
  const change = guardrailChange(patch)
  if (applied.some((one) => one.scope === scope))
    return applied.map((one) => (one.scope === scope ? { scope, guardrail: { ...one.guardrail, ...change } } : one))
  const guardrail = {
    name: "Proposed",
    ...unrestricted,
    ...change,
    id: scope === "workspace" ? defaultGuardrailId(workspace_id) : proposedId,
    workspace_id,
    created_at: now,
    updated_at: null
  }
  return [...applied, { scope, guardrail }]
}

/** What applies to a key in the changed world. */
export const changedSource = Effect.fnUntraced(function* (source: CompiledSource, change: ProposedChange) {
  yield* refusePatterns(change.patch.content_filters)
  const now = formatInstant(yield* Clock.currentTimeMillis)
  const guardrails = withChange(source.guardrails, change, source.key.workspace_id ?? proposedId, now)
  return yield* compileSource({ ...source, guardrails })
})

export const explain = operation("explain")(function* (
  account_id: string,
  asked: CreateExplanation & { readonly api_key_hash: string },
  default_region: Region
) {
  const found = yield* compiledSource(account_id, asked.api_key_hash)
  const source =
    Option.isSome(found) && asked.guardrail != null
      ? Option.some(yield* changedSource(found.value, asked.guardrail))
      : found
  const weighing: Weighing = Option.isNone(source)
    ? unknownKey
    : yield* weighRequest(source.value, asked, default_region)
  const ingress = asked.ingress_region ?? default_region
  if (weighing.kind === "refused") {
    const refused: Explanation = {
      decision: "deny",
      status: weighing.denial.status,
      candidates: [],
      reasons: [...weighing.denial.reasons],
      findings: [],
      budgets: [],
      regions: { ingress, allowed: Option.isNone(source) ? [] : [...openRegions(source.value.policy.effective)] },
      smallest_change: null
    }
    return refused
  }
  const { question, budgets, costOf, workspace_id, scan } = weighing.weighed
  const states = budgets.length === 0 ? [] : yield* (yield* BudgetLedger).states(account_id, workspace_id, budgets)
  const proof = prove(question, states, costOf)
  const isAllowed = allows(proof)
  const change = smallestChange(
    proof.general,
    proof.candidates.map(({ objections }) => objections)
  )
  const explanation: Explanation = {
    decision: isAllowed ? "allow" : "deny",
    status: isAllowed ? null : denialOf(proof, scan.refusal).status,
    candidates: proof.candidates.map(({ candidate, objections }) => ({
      ...printedCandidate(candidate),
      allowed: proof.general.length === 0 && objections.length === 0,
      reasons: [...proof.general, ...objections].map(({ reason }) => reason)
    })),
    reasons: proof.general.map(({ reason }) => reason),
    findings: [...scan.findings],
    budgets: states.map(({ budget, window_start, spent_nanos, held_nanos }) => ({
      scope: budget.scope,
      entity: budget.entity,
      guardrail_id: budget.guardrail_id,
      interval: budget.interval,
      window_start: printedWindow(window_start),
      limit_usd: formatUsd(budget.limit_nanos),
      spent_usd: formatUsd(spent_nanos),
      held_usd: formatUsd(held_nanos)
    })),
    regions: { ingress, allowed: [...openRegions(question.policy.effective)] },
    smallest_change: change === null ? null : [...change]
  }
  return explanation
})
