/**
 * One model request as it is recorded: the data plane's report without bodies, and the names that were resolved at recording.
 *
 * Events never change, and outlive the workspace, key and model that they name.
 * Rule: usage#events.
 */
import type { CostComponent, LanguageType, Region, UsageCategory, UsageStatus } from "@gatewarden/contract"
import type { SelectedEvents } from "../delivery/SelectedEvent.ts"
import type { ContextLengthBucket } from "./contextLengthBucket.ts"

export interface UsageEvent {
  /** Unique in the account. */
  readonly id: string
  /** The workspace that the event names, otherwise the key's, otherwise the account's default one. */
  readonly workspace_id: string
  /** When the request began: ISO 8601, UTC, milliseconds. */
  readonly created_at: string
  /** When the event was recorded, by the clock of the recording process. */
  readonly recorded_at: string

  /** Canonical slug without variant; of a model that the catalog does not know, its name without variant. */
  readonly model: string
  /** The part of the model's name after the colon, or `""`. */
  readonly variant: string
  readonly provider: string
  readonly endpoint_tag: string | null
  /** As reported; it may name no key of the account. */
  readonly api_key_hash: string | null
  /** The reported user, otherwise the key's. */
  readonly user_id: string | null
  readonly external_user: string | null
  readonly app: string | null
  readonly origin: string | null
  /** What the app says that it is for. */
  readonly app_categories: readonly string[] | null
  readonly country: string | null
  readonly session_id: string | null
  readonly data_region: Region | null

  readonly status: UsageStatus
  readonly finish_reason: string | null
  readonly byok: boolean
  readonly guardrail_invoked: boolean
  readonly response_cached: boolean

  /** Integers from 0 to 2^53 − 1; what was not reported is 0. */
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly reasoning_tokens: number
  readonly cached_tokens: number
  readonly cache_write_tokens: number
  readonly tool_calls: number
  readonly context_length_bucket: ContextLengthBucket

  /** Nano-dollars, as every amount here. */
  readonly cost_nanos: bigint
  readonly byok_cost_nanos: bigint
  /** Only the reported ones. */
  readonly cost_components: Readonly<Partial<Record<CostComponent, bigint>>>

  /** From `created_at` to the first token, and from there to the last; milliseconds with three decimals. */
  readonly latency_ms: number | null
  readonly generation_ms: number | null
  /** Completion tokens × 1000 / `generation_ms`; `null` when that is absent or 0. */
  readonly throughput: number | null

  /** Of the event, else of the catalog's entry at the time of import, else `null`. */
  readonly input_modalities: readonly string[] | null
  readonly output_modalities: readonly string[] | null
  /** The classification of a sampled event, and how many events it stands for. */
  readonly category: UsageCategory | null
  readonly language_type: LanguageType | null
  readonly sample_weight: number
  /** Tags by classifier, then by dimension. Every key is an ordinary one, `__proto__` too: read with `Object.hasOwn`. */
  readonly classifiers: Readonly<Record<string, Readonly<Record<string, string>>>> | null
  readonly trace: Readonly<Record<string, unknown>> | null
  /**
   * The account itself reported the event, not the operator: it counts for the account, and in no public statistics (Rule:
   * usage#public-statistics).
   */
  readonly self_reported: boolean
}

/** Events of one account. */
export interface AccountEvents {
  readonly account_id: string
  readonly events: readonly UsageEvent[]
  /** Which of them are delivered, and where. */
  readonly selected?: SelectedEvents | undefined
}
