/**
 * The decision on a request: the candidates that remain after every rule was applied. A pure function that `admit`, `explain` and replays
 * share.
 *
 * Rule: admissions#decision. A budget that cannot pay for a candidate removes only that candidate, so that an expensive endpoint never
 * causes a denial if a cheap one fits, and another guardrail never permits another candidate.
 */
import { budgetObjections } from "../ledger/judgeBudgets.ts"
import { affords } from "../ledger/judgeHolds.ts"
import type { BudgetState, Cost } from "../ports/ledger.ts"
import type { Objection } from "../value/issues.ts"
import type { Candidate } from "./Candidate.ts"
import type { CompiledPolicy } from "./CompiledPolicy.ts"
import { objectionsTo, permits, regionObjections, type SharedObjections } from "./judgeCandidate.ts"
import { type RegionFacts, type RequestTerms, regionFacts } from "./requestRules.ts"

/** The input: a request, its candidate endpoints, and the objections to the request as a whole. */
export interface Question {
  readonly policy: CompiledPolicy
  readonly terms: RequestTerms
  /** The models that were asked for, by their names in the request. */
  readonly models: readonly string[]
  /** The catalog has at least one of them. */
  readonly is_listed: boolean
  readonly candidates: readonly Candidate[]
  /** Objections of content filters and rate limits to the request as a whole. */
  readonly objections: readonly Objection[]
  /** Why the maximum cost of a candidate is unknown; absent if no budget applies. */
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

/** The permitted candidates that every budget can pay for. */
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

/** A candidate with every reason against it; none if and only if the request may go there. */
export interface JudgedCandidate {
  readonly candidate: Candidate
  readonly objections: readonly Objection[]
}

export interface Proof extends Pick<Question, "models" | "is_listed"> {
  /** Objections to the request as a whole. */
  readonly general: readonly Objection[]
  readonly candidates: readonly JudgedCandidate[]
  readonly regions: RegionFacts
}

/** No edit of a policy adds a model to the catalog. */
const unserved = (models: readonly string[]): Objection => ({
  reason: { scope: "catalog", guardrail_id: null, field: "model", value: models.length === 1 ? models[0] : models },
  edit: null
})

/** What is against a candidate before any budget is asked: none if and only if it is permitted, unless the request as a whole is refused. */
export const policyObjections = (
  { policy, terms, unpriced }: Question,
  candidate: Candidate,
  shared?: SharedObjections
): readonly Objection[] => [...objectionsTo(policy, terms, candidate, shared), ...(unpriced?.(candidate) ?? [])]

/** Every objection to every candidate. */
export const prove = (
  question: Question,
  states: readonly BudgetState[],
  costOf: (candidate: Candidate) => Cost
): Proof => {
  const { policy, terms, models, is_listed, candidates, objections } = question
  const absent = candidates.length === 0 ? [unserved(models)] : []
  const shared: SharedObjections = new Map()
  return {
    models,
    is_listed,
    general: [...regionObjections(policy, terms), ...objections, ...absent],
    candidates: candidates.map((candidate) => ({
      candidate,
      objections: [...policyObjections(question, candidate, shared), ...budgetObjections(states, costOf(candidate))]
    })),
    regions: regionFacts(policy, terms, candidates)
  }
}

/** Whether the request is allowed: no objection to the request, and none to at least one candidate. */
export const allows = ({ general, candidates }: Proof): boolean =>
  general.length === 0 && candidates.some(({ objections }) => objections.length === 0)
