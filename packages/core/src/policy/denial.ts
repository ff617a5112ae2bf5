/**
 * The answer of a data plane to a denied request: status, text and reasons.
 *
 * Rule: admissions#denials, admissions#availability.
 */
import {
  type AdmissionReason,
  BudgetInterval,
  type DenialError,
  type Issue,
  type Region
} from "@gatewarden/contract/internal"
import {
  type Bill,
  type Shortfall,
  issueOf,
  limitText,
  shortfallFacts,
  shortfallOf,
  shortfallText
} from "./explainDenial.ts"
import { isUnpriced } from "../ledger/estimateCost.ts"
import { type Refusal, refusalWith } from "../value/issues.ts"
import { closedRegion, removedEndpoints, unservedModel } from "./requestRules.ts"
import type { Proof } from "./decide.ts"

/** Where a request came in. */
export interface Ingress {
  readonly region: Region
  /** What the `doc_url` of a reason begins with, as `errorDocsFor` has it. */
  readonly docs: string
}

export interface Denial extends Refusal {
  readonly reasons: readonly AdmissionReason[]
  /** A sentence for each reason, in their order. */
  readonly issues: readonly Issue[]
}

/** The public API has `availability` beside `metadata`; both have it. */
export const printedRefusal = (
  { status, reason, message, metadata, availability }: Refusal,
  docs: Ingress["docs"]
): DenialError => {
  const doc_url = docs + reason
  const printed = availability === undefined ? {} : { availability: { ...availability, docs_url: doc_url } }
  return { code: status, message, ...printed, metadata: { reason, doc_url, ...printed, ...metadata } }
}

const money = new Set<AdmissionReason["scope"]>(["workspace_budget", "key_limit"])

const isMoney = ({ scope, field }: AdmissionReason): boolean => money.has(scope) || field === "limit_usd"

/** The longest first. */
const intervals = BudgetInterval.options.toReversed()

/**
 * The text for exceeded budgets names the broadest budget of the workspace, otherwise the key's own limit, otherwise a guardrail's budget.
 * The first text is fixed, so that callers of a data plane learn nothing about the spending of others; the others add what is missing and the remedy.
 */
const budgetRefusal = (
  reasons: readonly AdmissionReason[],
  shortfall: (reason: AdmissionReason) => Shortfall | undefined
): Refusal => {
  const exceeded = (
    limit: string,
    reason: AdmissionReason | undefined
  ): readonly [message: string, metadata?: Refusal["metadata"]] => {
    const message = `${limit} of ${limitText(reason?.value)} exceeded.`
    const missing = reason && shortfall(reason)
    return missing === undefined
      ? [message]
      : [`${message} ${shortfallText(missing)}`, { budget: shortfallFacts(missing) }]
  }
  for (const interval of intervals) {
    const broken = reasons.find(({ field }) => field === `budgets.${interval}`)
    if (broken !== undefined)
      return refusalWith(
        403,
        "workspace_budget_exceeded",
        `Workspace ${interval} budget of ${limitText(broken.value)} exceeded. Contact your org admin.`
      )
  }
  const ofKey = reasons.find(({ scope }) => scope === "key_limit")
  if (ofKey !== undefined) return refusalWith(402, "key_limit_exceeded", ...exceeded("Key limit", ofKey))
  const [ofGuardrail] = reasons
  return refusalWith(403, "guardrail_budget_exceeded", ...exceeded("Guardrail budget", ofGuardrail))
}

const texts = {
  region: "Requests of this key are not permitted through this data region.",
  none: "No endpoints available matching your guardrail restrictions and data policy.",
  unpriced: "No endpoint has a known price for this request, and a budget applies; see the reasons.",
  unknown: "No endpoints found for the requested model."
} as const

/** Removes duplicates: many candidates may have the same reason, and nearly always the same long value of it. */
const distinct = (reasons: readonly AdmissionReason[]): readonly AdmissionReason[] => {
  const byRule = new Map<string, Map<unknown, AdmissionReason>>()
  const all = new Set(reasons)
  for (const reason of all) {
    const rule = `${reason.scope} ${reason.guardrail_id} ${reason.field}`
    const ofRule = byRule.get(rule)
    if (ofRule === undefined) byRule.set(rule, new Map([[reason.value, reason]]))
    else if (!ofRule.has(reason.value)) ofRule.set(reason.value, reason)
  }
  const first = new Set<AdmissionReason>()
  for (const ofRule of byRule.values()) {
    const texts = new Set<string>()
    for (const [value, reason] of ofRule) {
      const text = ofRule.size === 1 ? "" : JSON.stringify(value)
      if (!texts.has(text)) first.add(reason)
      texts.add(text)
    }
  }
  return [...all].filter((reason) => first.has(reason))
}

/** `refusal`: the answer that filters or rate limits require, if they object. `bill`: the cost and the budgets' remainders. */
export const denialOf = (proof: Proof, refusal?: Refusal, bill?: Bill): Denial => {
  // A budget determines the answer only if policy left a candidate.
  const unpaid = proof.candidates.filter(({ objections }) => objections.every(({ reason }) => isMoney(reason)))
  const shortfall = (reason: AdmissionReason) =>
    bill &&
    shortfallOf(
      reason,
      bill,
      unpaid.map(({ candidate }) => candidate)
    )
  const general = proof.general.map(({ reason }) => reason)
  const answer = (refused: Refusal, reasons: readonly AdmissionReason[]): Denial => ({
    ...refused,
    reasons,
    issues: reasons.map((reason) => issueOf(reason, shortfall(reason), proof.regions))
  })
  if (general.some(({ field }) => field === "allowed_data_regions"))
    return answer(
      { ...refusalWith(403, "region_not_allowed", texts.region), availability: closedRegion(proof.models) },
      distinct(general)
    )
  if (general.some(({ scope }) => scope !== "catalog"))
    return answer(refusal ?? refusalWith(403, "no_endpoint_allowed", texts.none), distinct(general))
  if (general.length > 0)
    return answer(
      {
        ...refusalWith(404, "unknown_model", texts.unknown),
        availability: unservedModel(proof.models, proof.is_listed)
      },
      general
    )
  const all = distinct(proof.candidates.flatMap(({ objections }) => objections.map(({ reason }) => reason)))
  if (unpaid.length === 0) {
    const isPermitted = proof.candidates.some(({ objections }) =>
      objections.every(({ reason }) => isMoney(reason) || isUnpriced(reason))
    )
    const refused = isPermitted
      ? refusalWith(404, "no_known_price", texts.unpriced)
      : refusalWith(404, "no_endpoint_allowed", texts.none)
    const rules = all.filter((reason) => !isMoney(reason))
    return answer({ ...refused, availability: removedEndpoints(proof.models, rules) }, all)
  }
  const broken = unpaid.flatMap(({ objections }) => objections.map(({ reason }) => reason))
  return answer(budgetRefusal(broken, shortfall), all)
}
