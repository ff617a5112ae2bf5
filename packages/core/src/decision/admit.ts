/**
 * Decides whether and where a request may be dispatched, and holds its maximum cost.
 *
 * Rule: admissions#admission. Without budgets, a decision from caches makes no call of the store: the admission's id is signed, so any
 * process can settle it.
 */
import {
  type Admission,
  type AdmittedCandidate,
  type CreateAdmission,
  type Finding,
  defaultHoldSeconds
} from "@gatewarden/contract/internal"
import { Clock, Context, Effect, Option } from "effect"
import { outsideTransactions } from "../cache/Freshness.ts"
import { makeWaitingTurns } from "../value/Turns.ts"
import type { Restorer } from "../filter/prompt/Restorer.ts"
import { formatInstant } from "../value/calendar.ts"
import { operation } from "../tracing/operation.ts"
import { formatUsd, largest } from "../value/money.ts"
import { AdmissionTokens } from "../access/AdmissionTokens.ts"
import { AdmittedSizes, type LiveAdmission, LiveAdmissions } from "../ledger/AdmittedSizes.ts"
import {
  BudgetLedger,
  type BudgetState,
  type Cost,
  type HeldUnder,
  type HoldOutcome,
  KeyRateCounts,
  type OnExpiry
} from "../ports/ledger.ts"
import type { Candidate } from "../policy/Candidate.ts"
import { type CompiledSource, compiledSource } from "../policy/DecisionCache.ts"
import { affordable, permittedCandidates, prove } from "../policy/decide.ts"
import { type Denial, denialOf, type Ingress, printedRefusal } from "../policy/denial.ts"
import { rateObjections, tooManyRequests } from "../ledger/judgeKeyRates.ts"
import { keptDenial } from "./keptDenial.ts"
import type { Objection, Refusal } from "../value/issues.ts"
import type { RequestSize } from "../request/requestSize.ts"
import { printedWindow } from "../ledger/readKeyBudgets.ts"
import { unknownKey, type EvaluatedRequest, type Evaluation, evaluateRequest } from "./evaluateRequest.ts"

export const printedCandidate = ({
  model,
  endpoint_tag,
  provider,
  source,
  byok_id,
  label,
  declared_region,
  endpoint: { upstream },
  own_model
}: Candidate): AdmittedCandidate => ({
  model,
  endpoint_tag,
  provider,
  source,
  byok_id,
  label,
  ...(declared_region === undefined ? {} : { declared_region }),
  ...(upstream === undefined ? {} : { upstream }),
  ...(own_model === undefined ? {} : { own_model })
})

/**
 * Most tokens to ask each candidate for, as they were held: a provider that writes more than the catalog says it does would cost more.
 */
const grantOf = (candidates: readonly Candidate[], granted: number | null) => {
  const mostOf = ({ endpoint }: Candidate) => Math.min(granted ?? Infinity, endpoint.max_completion_tokens ?? Infinity)
  const most = granted === null ? null : candidates.reduce((sum, one) => Math.max(sum, mostOf(one)), -Infinity)
  return {
    grant: { max_completion_tokens: most },
    candidates: candidates.map((candidate) => ({
      ...printedCandidate(candidate),
      ...(most !== null && mostOf(candidate) < most ? { max_completion_tokens: mostOf(candidate) } : {})
    }))
  }
}

const noWorkspace = "00000000-0000-0000-0000-000000000000"

/** The result of the decision: where the request may go, or why it may not. */
type Verdict =
  | {
      readonly kind: "admitted"
      readonly candidates: readonly Candidate[]
      readonly outcome: HoldOutcome & { readonly held: true }
    }
  | { readonly kind: "admitted_free"; readonly candidates: readonly Candidate[] }
  | { readonly kind: "denied"; readonly denial: Denial }

/** Requests of one key are counted one after the other, each with a connection that waits for the one before. */
const countedOfAccount = 8

const CountingTurns = Context.Reference("gatewarden/CountingTurns", {
  defaultValue: () => makeWaitingTurns(countedOfAccount)
})

/** The rate limits of the key that are used up; `undefined` if the request was counted against all of them. */
const countAgainstRates = Effect.fnUntraced(function* (
  { source: { key, rate_limits: limits }, tokensOf }: EvaluatedRequest,
  permitted: readonly Candidate[],
  admission_id: string,
  hold_seconds: number
) {
  if (limits === null) return undefined
  const tokens = tokensOf(permitted)
  const counts = yield* KeyRateCounts
  const inTurn = (yield* CountingTurns).goingOn(key.account_id)
  const { admitted, use } = yield* outsideTransactions(inTurn)(
    counts.admit(key.account_id, { admission_id, key_hash: key.hash, limits, tokens, hold_seconds })
  )
  if (admitted) return undefined
  const objections = rateObjections(limits, use, tokens)
  return { objections, refusal: tooManyRequests(objections, use, yield* Clock.currentTimeMillis) } satisfies UsedRates
})

/** How the hold ends by itself. */
interface Expiry {
  readonly hold_seconds: number
  readonly on_expiry: OnExpiry
}

/** The rate limits that are used up, and the answer to that. */
export interface UsedRates {
  readonly objections: readonly Objection[]
  readonly refusal?: Refusal
}

/** What the ledger holds for a request that one of these candidates serves. */
const heldFor = (costs: readonly Cost[], size: RequestSize): HeldUnder => ({
  nanos: largest(costs.map(({ nanos }) => nanos)),
  shared_nanos: largest(costs.map(({ nanos, byok }) => (byok ? 0n : nanos))),
  size
})

/** What was asked beyond policy. */
interface Refusing {
  readonly rates?: UsedRates
  readonly states?: readonly BudgetState[]
}

/**
 * The denial by the first of three that refuses: policy, then rate limits, then budgets. A later one is not asked, and so adds no reason.
 *
 * Rule: admissions#explanations.
 */
export const firstDenial = (
  { question, costOf, assumed_tokens, scan }: EvaluatedRequest,
  { rates, states = [] }: Refusing
): Denial => {
  const isPermitted = permittedCandidates(question).length > 0
  if (isPermitted && rates?.refusal !== undefined)
    return denialOf(prove({ ...question, objections: rates.objections }, [], costOf), rates.refusal)
  const judged = isPermitted ? states : []
  return denialOf(prove(question, judged, costOf), scan.refusal, { states: judged, costOf, assumed_tokens })
}

const judge = Effect.fnUntraced(function* (weighed: EvaluatedRequest, admission_id: string, expiry: Expiry) {
  const {
    question,
    budgets,
    costOf,
    workspace_id,
    size,
    source: { key, rate_limits }
  } = weighed
  const deny = (refusing: Refusing): Verdict => ({ kind: "denied", denial: firstDenial(weighed, refusing) })
  const permitted = permittedCandidates(question)
  if (permitted.length === 0) return deny({})
  // A request that is not admitted consumes nothing, also if the decision fails or is interrupted.
  const withdraw = Effect.flatMap(KeyRateCounts, (port) => port.withdraw(key.account_id, admission_id))
  const counted = <A, R>(effect: Effect.Effect<A, never, R>) =>
    rate_limits === null ? effect : Effect.onError(effect, () => Effect.ignoreCause(withdraw))
  const rates = yield* counted(countAgainstRates(weighed, permitted, admission_id, expiry.hold_seconds))
  if (rates !== undefined) return deny({ rates })
  if (budgets.length === 0) return { kind: "admitted_free", candidates: permitted } satisfies Verdict
  const ledger = yield* BudgetLedger
  const outcome = yield* counted(
    ledger.hold(key.account_id, {
      admission_id,
      workspace_id,
      key_hash: key.hash,
      user_id: key.user_id,
      budgets,
      costs: permitted.map(costOf),
      ...expiry,
      size
    })
  )
  if (!outcome.held) {
    if (rate_limits !== null) yield* withdraw
    return deny({ states: outcome.states })
  }
  return {
    kind: "admitted",
    candidates: affordable(permitted, outcome.states, costOf),
    outcome
  } satisfies Verdict
})

const denied = (id: string, denial: Denial, { docs }: Ingress, findings: readonly Finding[] = []): Admission => ({
  id,
  decision: "deny",
  status: denial.status,
  error: printedRefusal(denial, docs),
  candidates: [],
  messages: null,
  fields: null,
  findings: [...findings],
  holds: [],
  grant: { max_completion_tokens: null },
  expires_at: null,
  reasons: [...denial.reasons],
  issues: [...denial.issues]
})

/** Zero data retention is asked for by the request, or enforced by a guardrail for any vendor. */
const forgets = ({ request, source }: EvaluatedRequest): boolean =>
  request.provider.zdr === true || source.policy.effective.enforced_zdr.size > 0

/** An admission, and what a data plane in this process sends to the provider. */
export interface Admitted {
  readonly admission: Admission
  /** The fields of the preset and the request together; `null` without a preset, or when it was denied. */
  readonly merged: Readonly<Record<string, unknown>> | null
  /** Of the preset; `null` without one, or when it was denied. */
  readonly preset_version: number | null
  /** Restores redacted values in the response, if the request asked for it and something was redacted. */
  readonly restore: Restorer | undefined
  /** The candidates of the admission, in the same order. */
  readonly candidates: readonly Candidate[]
  /** The size that the hold is for; `undefined` on a denial. */
  readonly size: RequestSize | undefined
  /** The credentials that this process may decrypt for the admission; `undefined` if no candidate uses one. */
  readonly live: LiveAdmission | undefined
}

interface Asking {
  readonly found: Option.Option<CompiledSource>
  readonly weighing: Evaluation
}

const weigh = Effect.fnUntraced(function* (
  account_id: string,
  asked: CreateAdmission,
  ingress: Ingress,
  known_version: number | null = null
) {
  const found = yield* compiledSource(account_id, asked.api_key_hash)
  const weighing: Evaluation = Option.isNone(found)
    ? unknownKey
    : yield* evaluateRequest(found.value, asked, ingress.region, asked.api_key_hash, known_version)
  return { found, weighing } satisfies Asking
})

const admitted = Effect.fnUntraced(function* (
  account_id: string,
  asked: CreateAdmission,
  ingress: Ingress,
  { found, weighing }: Asking,
  by_operator: boolean
) {
  const hold_seconds = asked.hold_seconds ?? defaultHoldSeconds
  const expires_at = (yield* Clock.currentTimeMillis) + hold_seconds * 1000
  const weighed = weighing.kind === "weighed" ? weighing.weighed : undefined
  const id = yield* (yield* AdmissionTokens).sign({
    account_id,
    workspace_id: weighed?.workspace_id ?? noWorkspace,
    // Settlements charge the key, whichever secret asked.
    api_key_hash: Option.isSome(found) ? found.value.key.hash : asked.api_key_hash,
    expires_at,
    holds: weighed !== undefined && weighed.budgets.length > 0,
    counted: weighed !== undefined && weighed.source.rate_limits !== null,
    forgets: weighed !== undefined && forgets(weighed),
    by_operator,
    is_bounded: weighed !== undefined && weighed.budgets.length > 0 && asked.max_cost_usd == null
  })
  const deny = (denial: Denial): Admitted => ({
    admission: denied(id, denial, ingress, weighed?.scan.findings),
    merged: null,
    preset_version: null,
    restore: undefined,
    candidates: [],
    size: undefined,
    live: undefined
  })
  if (weighing.kind === "refused") return deny(weighing.denial)
  const verdict = yield* judge(weighing.weighed, id, { hold_seconds, on_expiry: asked.on_expiry ?? "release" })
  if (verdict.kind === "denied") return deny(verdict.denial)
  const { candidates } = verdict
  const credentials = new Map(
    candidates.flatMap(({ byok_id, provider, declared_region }) =>
      byok_id === null ? [] : [[byok_id, { provider, declared_region }] as const]
    )
  )
  const { workspace_id, size, costOf } = weighing.weighed
  ;(yield* AdmittedSizes).open(id, heldFor(candidates.map(costOf), size), expires_at, expires_at - hold_seconds * 1000)
  const admission: Admission = {
    id,
    decision: "allow",
    status: null,
    error: null,
    ...grantOf(candidates, weighing.weighed.granted),
    messages: asked.messages == null ? null : [...(weighing.weighed.request.messages ?? [])],
    fields: weighing.weighed.request.fields,
    findings: [...weighing.weighed.scan.findings],
    holds:
      verdict.kind === "admitted"
        ? verdict.outcome.holds.map(({ budget, window_start, nanos }) => ({
            scope: budget.scope,
            entity: budget.entity,
            guardrail_id: budget.guardrail_id,
            window_start: printedWindow(window_start),
            amount_usd: formatUsd(nanos)
          }))
        : [],
    expires_at: verdict.kind === "admitted" ? verdict.outcome.expires_at : formatInstant(expires_at),
    reasons: [],
    issues: []
  }
  const { request, scan } = weighing.weighed
  return {
    admission,
    merged: request.merged,
    preset_version: request.preset_version,
    restore: scan.restore,
    candidates,
    size,
    live: credentials.size === 0 ? undefined : { account_id, workspace_id, expires_at, credentials }
  } satisfies Admitted
})

/** What is stored of an admission for a repetition: no content of the request, and a denial in short. */
export interface KeptAdmission {
  readonly admission: Admission
  /** The hold is for the request with this version of its preset. */
  readonly preset_version: number | null
}

export const keptAdmission = ({ admission, preset_version }: Admitted): KeptAdmission => ({
  admission: admission.decision === "deny" ? keptDenial(admission) : { ...admission, messages: null, fields: {} },
  preset_version
})

/**
 * The admission that was given, for the same request once more, with the version of its preset that it was given for: the messages are
 * scanned again. If they may not be sent any more, it is denied under the same id.
 */
export const repeatAdmission = Effect.fnUntraced(function* (
  account_id: string,
  { admission: kept, preset_version }: KeptAdmission,
  asked: CreateAdmission,
  ingress: Ingress
) {
  if (kept.decision === "deny") return kept
  const { weighing } = yield* weigh(account_id, asked, ingress, preset_version)
  if (weighing.kind === "refused") return denied(kept.id, weighing.denial, ingress)
  const { question, costOf, assumed_tokens, request, scan } = weighing.weighed
  if (scan.refusal !== undefined) {
    const bill = { states: [], costOf, assumed_tokens }
    return denied(kept.id, denialOf(prove(question, [], costOf), scan.refusal, bill), ingress, scan.findings)
  }
  const messages = asked.messages == null ? null : [...(request.messages ?? [])]
  return { ...kept, messages, fields: request.fields } satisfies Admission
})

/** Records the decision on the span, for metrics. A denial is recorded with its first reason. */
const recordDecision = ({ admission: { decision, reasons } }: Admitted) =>
  Effect.annotateCurrentSpan({
    "gatewarden.admission.decision": decision,
    "gatewarden.admission.scope": reasons[0]?.scope ?? ""
  })

/** `by_operator`: whether the operator's side asks (Rule: admissions#who-settles). */
export const admit = operation("admit")(function* (
  account_id: string,
  asked: CreateAdmission,
  ingress: Ingress,
  by_operator: boolean
) {
  return yield* Effect.tap(
    admitted(account_id, asked, ingress, yield* weigh(account_id, asked, ingress), by_operator),
    recordDecision
  )
})

/**
 * Looks through the request, and returns what is left: to decide and to hold. Scanning and detectors take long, so a transaction begins
 * only behind them.
 */
export const prepareAdmission = (account_id: string, asked: CreateAdmission, ingress: Ingress, by_operator: boolean) =>
  Effect.map(weigh(account_id, asked, ingress), (asking) =>
    operation("admit")(function* () {
      return yield* Effect.tap(admitted(account_id, asked, ingress, asking, by_operator), recordDecision)
    })()
  )

/**
 * Decides for a caller in this process, who may then decrypt the credentials of the candidates. Over HTTP nobody can, so `admit` alone
 * adds no entry.
 */
export const admitInProcess = Effect.fnUntraced(function* (
  account_id: string,
  asked: CreateAdmission,
  ingress: Ingress
) {
  const outcome = yield* admit(account_id, asked, ingress, true)
  if (outcome.live !== undefined)
    (yield* LiveAdmissions).open(outcome.admission.id, outcome.live, yield* Clock.currentTimeMillis)
  return outcome
})
