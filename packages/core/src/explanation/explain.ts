/**
 * The decision that `admit` would make, with every reason, also with a proposed change of a guardrail. Changes nothing.
 *
 * Rule: admissions#explanations.
 */
import type {
  AdmissionReason,
  CreateExplanation,
  ExplainedWarning,
  Explanation,
  ProposedChange
} from "@gatewarden/contract/internal"
import { Clock, Effect, Option } from "effect"
import { defaultGuardrailId, guardrailChange, unrestricted } from "../ports/guardrails.ts"
import { patternsOfFilters, refusePatterns } from "../guardrail/guardrail.ts"
import { unmatchedNames } from "../guardrail/unmatchedNames.ts"
import { formatInstant } from "../value/calendar.ts"
import { operation } from "../tracing/operation.ts"
import { WorkingAccount, inSlices } from "../value/inSlices.ts"
import { remembered } from "../value/remembered.ts"
import { formatUsd } from "../value/money.ts"
import { firstDenial, printedCandidate, type UsedRates } from "../decision/admit.ts"
import { BudgetLedger, KeyRateCounts } from "../ports/ledger.ts"
import { inOrderOfScope } from "../policy/CompiledPolicy.ts"
import type { AppliedGuardrail } from "../ports/policySources.ts"
import { type CompiledSource, compileSource, compiledSource } from "../policy/DecisionCache.ts"
import type { Candidate } from "../policy/Candidate.ts"
import { allows, permittedCandidates, prove } from "../policy/decide.ts"
import { type Ingress, printedRefusal } from "../policy/denial.ts"
import { rateObjections, tooManyRequests } from "../ledger/judgeKeyRates.ts"
import { openRegions } from "../policy/Policy.ts"
import { printedBudgetState } from "../ledger/readKeyBudgets.ts"
import { smallestChangeOf } from "../policy/smallestChange.ts"
import { unknownKey, type EvaluatedRequest, type Evaluation, evaluateRequest } from "../decision/evaluateRequest.ts"

/** The id of a guardrail that does not exist yet. */
const proposedId = "00000000-0000-0000-0000-000000000000"

/**
 * The guardrails with the proposed change: that of the scope is changed wherever it applies, or a new one is added if none applies. A key
 * without a user has no member's guardrail.
 */
const withChange = (
  applied: readonly AppliedGuardrail[],
  { scope, patch }: ProposedChange,
  { workspace_id, user_id }: CompiledSource["key"],
  now: string
): readonly AppliedGuardrail[] => {
  if (scope === "member" && user_id === null) return applied
  const change = guardrailChange(patch)
  const changed = applied.find((one) => one.scope === scope)?.guardrail
  if (changed !== undefined)
    return applied.map((one) =>
      one.guardrail.id === changed.id ? { ...one, guardrail: { ...one.guardrail, ...change } } : one
    )
  const guardrail = {
    name: "Proposed",
    ...unrestricted,
    ...change,
    id: scope === "workspace" && workspace_id !== null ? defaultGuardrailId(workspace_id) : proposedId,
    workspace_id: workspace_id ?? proposedId,
    created_at: now,
    updated_at: null
  }
  return inOrderOfScope([...applied, { scope, guardrail }])
}

/** Fails with 400 for a change that no guardrail accepts. */
export const refuseChange = (change: ProposedChange | null | undefined) =>
  refusePatterns(patternsOfFilters(change?.patch.content_filters, "guardrail.patch."))

/** What applies to a key with the proposed change. */
export const changedSource = Effect.fnUntraced(function* (source: CompiledSource, change: ProposedChange) {
  const now = formatInstant(yield* Clock.currentTimeMillis)
  const guardrails = withChange(source.guardrails, change, source.key, now)
  return yield* compileSource({ ...source, guardrails })
})

/** Names in the lists of the guardrails that match nothing in the catalog. */
const matchedNothing = Effect.fnUntraced(function* ({ key, guardrails }: CompiledSource) {
  const warnings: ExplainedWarning[] = []
  for (const { scope, guardrail } of guardrails)
    for (const { field, value } of yield* unmatchedNames(key.account_id, guardrail))
      warnings.push({ scope, guardrail_id: guardrail.id, field, value })
  return warnings
})

/** The rate limits of the key that the request would exceed, the answer to it if it would, and the same for other candidates. */
const usedRates = Effect.fnUntraced(function* (account_id: string, { source, question, tokensOf }: EvaluatedRequest) {
  const { key, rate_limits: limits } = source
  if (limits === null) return { rates: { objections: [] } satisfies UsedRates }
  const use = yield* (yield* KeyRateCounts).use(account_id, key.hash)
  const ratesFor = (candidates: readonly Candidate[]) => rateObjections(limits, use, tokensOf(candidates))
  const permitted = permittedCandidates(question)
  // Where nothing is permitted, what any candidate uses is explained.
  const objections = ratesFor(permitted.length > 0 ? permitted : question.candidates)
  if (objections.length === 0) return { rates: { objections } satisfies UsedRates, ratesFor }
  const refusal = tooManyRequests(objections, use, yield* Clock.currentTimeMillis)
  return { rates: { objections, refusal } satisfies UsedRates, ratesFor }
})

/** The hash of a key names the key, also when the secret that it was made with has ended; any other hash is that of a secret. */
const secretNamed = ({ key }: CompiledSource, hash: string): string =>
  hash === key.hash ? (key.secrets.at(-1)?.hash ?? hash) : hash

/** A value of more bytes of JSON is shown with the first of the candidates that it removes. */
const longestRepeated = 1_000

/** A text that is shorter than the rest of a reason is shown with each. */
const shortText = 100

/** Bytes of shorter values that are shown again and again. */
const mostRepeated = 1_048_576

/** What is against the request as a whole is told with every candidate, unless that were more reasons. */
const mostReasons = 10_000

const lengthOf = remembered((value: object) => JSON.stringify(value).length)

const sizeOf = (value: unknown): number => {
  if (typeof value === "string") return value.length > shortText ? value.length : 0
  return value instanceof Object ? lengthOf(value) : 0
}

/** Prints a reason, without a long value that was printed for the same rule before. */
const printReasons = () => {
  const printed = new Map<unknown, Set<string>>()
  let repeated = 0
  return (reason: AdmissionReason): AdmissionReason => {
    const { scope, value } = reason
    const length = sizeOf(value)
    if (length === 0) return reason
    const scopes = printed.get(value) ?? new Set()
    if (scopes.has(scope)) {
      if (length > longestRepeated || repeated + length > mostRepeated) return { ...reason, value: null }
      repeated += length
    }
    printed.set(value, scopes.add(scope))
    return reason
  }
}

export const explain = operation("explain")(function* (
  account_id: string,
  asked: CreateExplanation & { readonly api_key_hash: string },
  ingress: Ingress
) {
  yield* refuseChange(asked.guardrail)
  const found = yield* compiledSource(account_id, asked.api_key_hash)
  const source =
    Option.isSome(found) && asked.guardrail != null
      ? Option.some(yield* changedSource(found.value, asked.guardrail))
      : found
  const weighing: Evaluation = Option.isNone(source)
    ? unknownKey
    : yield* evaluateRequest(source.value, asked, ingress.region, secretNamed(source.value, asked.api_key_hash))
  if (weighing.kind === "refused") {
    const refused: Explanation = {
      decision: "deny",
      status: weighing.denial.status,
      error: printedRefusal(weighing.denial, ingress.docs),
      candidates: [],
      reasons: [...weighing.denial.reasons],
      issues: [...weighing.denial.issues],
      findings: [],
      budgets: [],
      regions: {
        ingress: asked.ingress_region ?? ingress.region,
        allowed: Option.isNone(source) ? [] : [...openRegions(source.value.policy.effective)],
        missing: []
      },
      smallest_change: null,
      warnings: Option.isNone(source) ? [] : yield* matchedNothing(source.value)
    }
    return refused
  }
  const { budgets, costOf, workspace_id, scan } = weighing.weighed
  const states = budgets.length === 0 ? [] : yield* (yield* BudgetLedger).states(account_id, workspace_id, budgets)
  const { rates, ratesFor } = yield* usedRates(account_id, weighing.weighed)
  const { question } = weighing.weighed
  const proof = prove({ ...question, objections: [...question.objections, ...rates.objections] }, states, costOf)
  const denial = allows(proof) ? undefined : firstDenial(weighing.weighed, { rates, states })
  const change = yield* Effect.provideService(
    inSlices(smallestChangeOf(question, states, costOf, ratesFor)),
    WorkingAccount,
    account_id
  )
  const printReason = printReasons()
  const { general } = proof
  const repeatsGeneral = general.length * proof.candidates.length <= mostReasons
  const explanation: Explanation = {
    ...(denial === undefined
      ? { decision: "allow", status: null, error: null }
      : { decision: "deny", status: denial.status, error: printedRefusal(denial, ingress.docs) }),
    candidates: proof.candidates.map(({ candidate, objections }, index) => ({
      ...printedCandidate(candidate),
      data_regions: [...candidate.data_regions],
      allowed: general.length === 0 && objections.length === 0,
      reasons: [...(repeatsGeneral || index === 0 ? general : []), ...objections].map(({ reason }) =>
        printReason(reason)
      )
    })),
    reasons: [...(denial?.reasons ?? [])],
    issues: [...(denial?.issues ?? [])],
    findings: [...scan.findings],
    budgets: states.map((state) => ({ ...printedBudgetState(state), held_usd: formatUsd(state.held_nanos) })),
    regions: {
      ingress: proof.regions.ingress,
      allowed: [...proof.regions.allowed],
      missing: [...proof.regions.missing]
    },
    smallest_change: change === null ? null : [...change],
    warnings: yield* matchedNothing(weighing.weighed.source)
  }
  return explanation
})
