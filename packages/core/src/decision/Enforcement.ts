/**
 * Enforcement as a host's own code calls it, without HTTP: the same decisions, and what only a process may have, the provider keys
 * of what it was granted. No Effect type is visible here.
 *
 * Rule: admissions#admission.
 */
import type {
  AdmittedCandidate,
  Admission,
  CreateAdmission,
  CreateExplanation,
  Explanation,
  ReplayReport,
  Settlement,
  SettlementReport,
  UsageQuantities
} from "@gatewarden/contract/internal"
import type { Restorer } from "../filter/prompt/Restorer.ts"

/** What an upstream says that it used, under the names of its `usage` object; what is absent was not reported. */
export type TokenUsage = UsageQuantities

/** Who asks: the key itself, of which only the hash is used, or its hash. Of both, the hash must be that of the key. */
export type AskingKey = { readonly api_key: string } | { readonly api_key_hash: string }

/** The body of `POST /gateway/admissions`, of which `api_key_hash` may be the key itself. */
export type AdmissionRequest = Omit<CreateAdmission, "api_key_hash"> & AskingKey

/** The body of `POST /gateway/explanations`, likewise; what was recorded is replayed with `replay`. */
export type ExplanationRequest = Omit<CreateExplanation, "api_key_hash" | "replay"> & AskingKey

/**
 * A stretch of recorded usage of the key's account, or with `only_this_key` of the key alone; what others spend of a budget that they
 * share with it is spent all the same.
 */
export type ReplayRequest = Pick<CreateExplanation, "guardrail"> &
  AskingKey & { readonly replay: NonNullable<CreateExplanation["replay"]>; readonly only_this_key?: boolean }

/** What a request has cost, for the event that `settle` takes. Decimal strings in US dollars. */
export interface UsageCost {
  /** What shared capacity costs: 0 where the workspace's own key paid. */
  readonly cost_usd: string
  /** Whether the workspace's own key paid. */
  readonly byok: boolean
  /** What the workspace's own key paid, `null` for shared capacity. */
  readonly byok_cost_usd: string | null
}

/** What only the process that asked has of an admission. */
export interface AdmissionInProcess {
  /** The request's fields over those of its preset, for the upstream; `null` without a preset. */
  readonly merged: Readonly<Record<string, unknown>> | null
  /** Puts redacted values back, in a whole text or in a stream; `undefined` unless the request sent `reversible_redaction`. See [Restorer](#restorer). */
  readonly restore: Restorer | undefined
  /**
   * Decrypts the provider key of a candidate with `source` `byok`.
   *
   * @param candidate one of this admission's candidates
   * @returns the credential as the workspace stored it
   * @throws GatewardenRefusal `not_admitted` for any other candidate, and once the admission is settled, cancelled or expired
   * @example
   * const key = candidate.source === "byok" ? await admission.credentialOf(candidate) : sharedKey
   */
  readonly credentialOf: (candidate: AdmittedCandidate) => Promise<string>
  /**
   * Computes the cost of a request at the catalog's prices, exact. Quantities that the upstream did not report are charged at what was held:
   * of a stream that broke off, pass the `completion_tokens` or `completion_bytes` that came through and no `prompt_tokens`. Where the
   * catalog has no price, the cost is all that was held.
   *
   * @param candidate the candidate of this admission that served the request
   * @param usage counts of tokens, or of bytes, under the names of the upstream's `usage` object
   * @returns `cost_usd`, `byok` and `byok_cost_usd`, for the event that `settle` takes; decimal strings in US dollars
   * @throws TypeError for what is no candidate of this admission
   * @example
   * const usage = { prompt_tokens: 812, completion_tokens: 96 }
   * const { cost_usd } = admission.costOf(candidate, usage)
   */
  readonly costOf: (candidate: AdmittedCandidate, usage: TokenUsage) => UsageCost
}

/** The answer of `POST /gateway/admissions`, told apart by `decision`, and what only the process that asked has. */
export type GrantedAdmission = Admission & AdmissionInProcess

/** Every method rejects with `GatewardenRefusal` for what the HTTP operation refuses. */
export interface Enforcement {
  /**
   * Decides which candidates may serve a request, and holds what the request may cost at most against the budgets of its key. A denial is an
   * answer with `decision` `deny`, not a rejection.
   *
   * @param request the body of `POST /gateway/admissions`; `api_key` may stand in place of `api_key_hash`
   * @returns the decision; when granted, the candidates in the order in which to try them, and methods that only this process has
   * @throws GatewardenRefusal for what the HTTP operation refuses: an invalid body, an unknown or disabled key
   * @example
   * const admission = await gatewarden.admit({ api_key, model: "acme/sonnet", messages, max_completion_tokens: 1000 })
   * if (admission.decision === "deny") return Response.json({ error: admission.error }, { status: admission.status })
   */
  readonly admit: (request: AdmissionRequest) => Promise<GrantedAdmission>
  /**
   * Prolongs a hold, for a request that takes longer than its admission lasts.
   *
   * @param id the admission's id
   * @param hold_seconds how long the hold lasts from now, 30 to 3600 seconds; default 600
   * @returns the time at which the hold expires, ISO 8601 in UTC
   * @throws GatewardenRefusal 404 for an id that names no admission, or one that was settled, was cancelled or has expired
   * @example
   * const { expires_at } = await gatewarden.renew(admission.id, 600)
   */
  readonly renew: (id: string, hold_seconds?: number) => Promise<{ readonly expires_at: string }>
  /**
   * Replaces what was held by what the request has cost, and records the usage event. A repetition with the same event changes nothing.
   *
   * @param id the admission's id
   * @param event the usage event without its id: `created_at` (when the request began), model, provider, tokens or `cost_usd`, times in milliseconds
   * @returns what each budget was charged, and by how much it was overdrawn; decimal strings in US dollars
   * @throws GatewardenRefusal 404 for an id that names no admission; `usage_required` or `price_unknown` where no cost can be computed
   * @example
   * const created_at = new Date().toISOString() // before the model is called
   * const { model, provider } = candidate
   * await gatewarden.settle(admission.id, { created_at, model, provider, prompt_tokens: 812, completion_tokens: 96 })
   */
  readonly settle: (id: string, event: SettlementReport) => Promise<Settlement>
  /**
   * Releases a hold of a request that was not sent, or that no upstream charged. A second call changes nothing.
   *
   * @param id the admission's id
   * @returns when the hold is released
   * @throws GatewardenRefusal 404 for an id that names no admission
   * @example
   * await gatewarden.cancel(admission.id)
   */
  readonly cancel: (id: string) => Promise<void>
  /**
   * Makes the same decision as `admit`, with its proof: which rule removed which candidate, and the smallest change that lets the request
   * through. Holds and records nothing.
   *
   * @param request the body of `POST /gateway/explanations`; `api_key` may stand in place of `api_key_hash`
   * @returns the decision and its proof
   * @throws GatewardenRefusal for what the HTTP operation refuses
   * @example
   * const { decision, candidates } = await gatewarden.explain({ api_key, model: "acme/sonnet" })
   */
  readonly explain: (request: ExplanationRequest) => Promise<Explanation>
  /**
   * Replays recorded usage, with the guardrails as they are or with a proposed change, and reports which requests would have been denied.
   * Changes nothing.
   *
   * @param request the key whose account is meant, the range of time (`start`, `end`: ISO 8601 in UTC), and a proposed change of a guardrail
   * @returns how many events there were, and how many would have been blocked, by rule and by key; amounts in US dollars
   * @throws GatewardenRefusal for what the HTTP operation refuses
   * @example
   * const { blocked, by_reason } = await gatewarden.replay({ api_key, replay: { start, end } })
   */
  readonly replay: (request: ReplayRequest) => Promise<ReplayReport>
}
