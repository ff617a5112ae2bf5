/**
 * Enforcement as a host's own code calls it, without HTTP: the same decisions, and what only a process may have, the upstream keys
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
} from "@gatewarden/contract"
import type { Restorer } from "../filter/Restorer.ts"

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

/** Decimal strings, USD. What the workspace's own key pays is no cost of shared capacity. */
export interface UsageCost {
  readonly cost_usd: string
  readonly byok: boolean
  readonly byok_cost_usd: string | null
}

/** What only the process that asked has of an admission. */
export interface AdmissionInProcess {
  /** The request's fields over those of its preset, for the upstream; `null` without a preset. */
  readonly merged: Readonly<Record<string, unknown>> | null
  /** Puts back what was redacted, with `reversible_redaction`, in a whole text or in a stream that cuts it anywhere. */
  readonly restore: Restorer | undefined
  /**
   * The upstream key of a candidate with `source` `byok`, as long as this admission lasts. Rejects for any other: a key is
   * opened for what was granted and nothing else.
   */
  readonly credentialOf: (candidate: AdmittedCandidate) => Promise<string>
  /**
   * What a candidate charges for what it says it used, at the catalog's prices and exact: these fields of the settlement's event.
   * What it did not report is charged at what was held for it: of a stream that broke off, pass the `completion_tokens` or
   * `completion_bytes` that came through and no `prompt_tokens`. Where the catalog does not know the price, it is all that was held.
   * Throws for what is no candidate of this admission.
   */
  readonly costOf: (candidate: AdmittedCandidate, usage: TokenUsage) => UsageCost
}

/** The answer of `POST /gateway/admissions`, told apart by `decision`, and what only the process that asked has. */
export type GrantedAdmission = Admission & AdmissionInProcess

/** Every method rejects with `GatewardenRefusal` for what the HTTP operation refuses. */
export interface Enforcement {
  /** Decides, and holds what the request may cost. A denial is an answer, not a rejection. */
  readonly admit: (request: AdmissionRequest) => Promise<GrantedAdmission>
  readonly renew: (id: string, hold_seconds?: number) => Promise<{ readonly expires_at: string }>
  readonly settle: (id: string, event: SettlementReport) => Promise<Settlement>
  readonly cancel: (id: string) => Promise<void>
  /** The same decision with its proof; changes nothing. */
  readonly explain: (request: ExplanationRequest) => Promise<Explanation>
  readonly replay: (request: ReplayRequest) => Promise<ReplayReport>
}
