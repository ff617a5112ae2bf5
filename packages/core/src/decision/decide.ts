/**
 * The decision on a request: what remains of its candidates once every rule was applied. Pure: `admit`, `explain` and replays of
 * recorded usage call it with what they know.
 *
 * Rule: admissions#decision. A candidate that a budget cannot pay for is removed on its own, so that a dear endpoint never
 * stands in the way of a cheap one, and another guardrail never allows more.
 */
import { type BudgetState, affords, type Cost } from "../ledger/Budget.ts"
import { budgetObjections } from "../ledger/judgeBudgets.ts"
import type { Candidate } from "./Candidate.ts"
import type { CompiledPolicy } from "./CompiledPolicy.ts"
import { objectionsTo, permits, regionObjections } from "./judgeCandidate.ts"
import type { Objection } from "../value/Objection.ts"
import type { RequestTerms } from "./requestRules.ts"

/** What is asked: a request, the endpoints that it might go to, and what stands in its way apart from them. */
export interface Question {
  readonly policy: CompiledPolicy
  readonly terms: RequestTerms
  /** The models that were asked for, by their names in the request. */
  readonly models: readonly string[]
  readonly candidates: readonly Candidate[]
  /** What content filters and rate limits say of the request as a whole. */
  readonly objections: readonly Objection[]
  /** Why nobody can tell what a candidate costs at most; absent where no budget has to pay. */
  readonly unpriced?: (candidate: Candidate) => readonly Objection[]
}

/**
 * The candidates that policy permits and, under a budget, whose price is known, in their order; none when the request as a whole is
 * refused.
 */
export const permittedCandidates = ({
  policy,
  terms,
  candidates,
  objections,
  unpriced
}: Question): readonly Candidate[] => {
  if (objections.length > 0 || regionObjections(policy, terms).length > 0) return []
  const permitted = candidates.filter((candidate) => permits(policy, terms, candidate))
  return unpriced === undefined ? permitted : permitted.filter((candidate) => unpriced(candidate).length === 0)
}

/** Those of the permitted that every budget can pay for. */
export const affordable = <C>(
  candidates: readonly C[],
  states: readonly BudgetState[],
  costOf: (candidate: C) => Cost
): readonly C[] =>
  states.length === 0
    ? candidates
    : candidates.filter((candidate) => {
        const cost = costOf(candidate)
        return states.every((state) => affords(state, cost))
      })

/** A candidate with every reason against it; none exactly when the request may go there. */
export interface JudgedCandidate {
  readonly candidate: Candidate
  readonly objections: readonly Objection[]
}

export interface Proof {
  /** What stands in the way of the request as a whole. */
  readonly general: readonly Objection[]
  readonly candidates: readonly JudgedCandidate[]
}

/** No edit of policy puts a model into the catalog. */
const unserved = (models: readonly string[]): Objection => ({
  reason: { scope: "catalog", guardrail_id: null, field: "model", value: models.length === 1 ? models[0] : models },
  edit: null
})

/** Everything that stands in the way, for every candidate. */
export const prove = (
  { policy, terms, models, candidates, objections, unpriced }: Question,
  states: readonly BudgetState[],
  costOf: (candidate: Candidate) => Cost
): Proof => ({
  general: [...regionObjections(policy, terms), ...objections, ...(candidates.length === 0 ? [unserved(models)] : [])],
  candidates: candidates.map((candidate) => ({
    candidate,
    objections: [
      ...objectionsTo(policy, terms, candidate),
      ...(unpriced?.(candidate) ?? []),
      ...budgetObjections(states, costOf(candidate))
    ]
  }))
})

/** Whether a proof allows: nothing against the request, and nothing against one of its candidates. */
export const allows = ({ general, candidates }: Proof): boolean =>
  general.length === 0 && candidates.some(({ objections }) => objections.length === 0)
