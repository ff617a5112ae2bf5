import {
  type CostComponent,
  type GenerationFeedback,
  type IntervalUnit,
  type LanguageType,
  type Region,
  type SentUsageEvent,
  type UsageCategory,
  type UsageStatus,
  intervalUnits
} from "@gatewarden/contract/internal"
import { Context, type Effect, type Option, type Stream } from "effect"

/**
 * One model request as it is recorded: the data plane's report without bodies, and the names that were resolved at recording.
 *
 * Events never change, and outlive the workspace, key and model that they name.
 * Rule: usage#events.
 */
export interface UsageEvent {
  /** Unique in the account. */
  readonly id: string
  /**
   * The event that this one adjusts. It is no request: its tokens and amounts are added to those of that event, and may be negative.
   * Whatever else tells what is summed together is that event's.
   */
  readonly adjusts: string | null
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
  /** The guardrail that refused the request; it may name none of the account. */
  readonly guardrail_id: string | null
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

const adjustedFields = [
  "prompt_tokens",
  "completion_tokens",
  "reasoning_tokens",
  "cached_tokens",
  "cache_write_tokens"
] as const

/** What an adjustment changes of an event. */
export type AdjustedNumbers = Pick<
  UsageEvent,
  (typeof adjustedFields)[number] | "cost_nanos" | "byok_cost_nanos" | "cost_components"
>

const combined = (a: AdjustedNumbers, b: AdjustedNumbers, sign: 1 | -1): AdjustedNumbers => {
  const nanos = BigInt(sign)
  const components = { ...a.cost_components }
  for (const [name, amount] of Object.entries(b.cost_components) as [CostComponent, bigint][])
    components[name] = (components[name] ?? 0n) + nanos * amount
  return {
    ...(Object.fromEntries(adjustedFields.map((field) => [field, a[field] + sign * b[field]])) as Record<
      (typeof adjustedFields)[number],
      number
    >),
    cost_nanos: a.cost_nanos + nanos * b.cost_nanos,
    byok_cost_nanos: a.byok_cost_nanos + nanos * b.byok_cost_nanos,
    cost_components: components
  }
}

/** An event with its adjustments: what it counts for. Rule: usage#adjustments. */
export const withAdjustments = <E extends AdjustedNumbers>(event: E, adjustments: readonly AdjustedNumbers[]): E =>
  adjustments.reduce((sum: E, adjustment) => ({ ...sum, ...combined(sum, adjustment, 1) }), event)

/** The adjustment after which an event counts for the stated numbers. */
export const adjustmentTo = (stated: UsageEvent, current: AdjustedNumbers): UsageEvent => ({
  ...stated,
  ...combined(stated, current, -1)
})

/**
 * The classifier of the tags that a trace names. Its dimensions are the tags, each with the value `true`.
 *
 * Rule: analytics#trace-tags.
 */
export const traceTags = "trace.tags"

const mostTraceTags = 64
const longestTag = 200

const isTag = (tag: unknown): tag is string => typeof tag === "string" && tag !== ""

export const shortTag = (tag: string): string => tag.slice(0, longestTag).replace(/[\ud800-\udbff]$/, "")

/** The texts of `trace.tags`, each once: the first 64, cut after 200 characters. */
export const tagsOfTrace = (trace: UsageEvent["trace"]): readonly string[] => {
  const given = trace !== null && Object.hasOwn(trace, "tags") ? trace["tags"] : undefined
  const tags = Array.isArray(given) ? given.filter(isTag) : isTag(given) ? [given] : []
  return [...new Set(tags.map(shortTag))].slice(0, mostTraceTags)
}

/** Events of one account. */
export interface AccountEvents {
  readonly account_id: string
  readonly events: readonly UsageEvent[]
  /** Which of them are delivered, and where. */
  readonly selected?: SelectedEvents | undefined
}

/** What is recorded beside a usage event so that it is delivered, and kept with its bodies. Rule: observability#selection, usage#prompt-logging. */
export interface SelectedEvent {
  /** The destinations that receive the event, all of its workspace. Without one it is not in the stream. */
  readonly destinations: readonly string[]
  /** Input and output, encrypted (`sealBodies`); `null` if no destination receives them. */
  readonly sealed_bodies: Uint8Array | null
  /** The same, encrypted for the table of kept bodies (`contextOfContent`); `null` if the workspace does not keep them. */
  readonly sealed_content: Uint8Array | null
}

/** By the event itself, because several events of a request may have one id: the first is recorded, and delivered as it was selected. */
export type SelectedEvents = ReadonlyMap<UsageEvent, SelectedEvent>

export const noneSelected: SelectedEvents = new Map()

/**
 * The context length bucket of a request by its prompt tokens: `1K` up to 1,000, `10M` above 1,000,000
 * (Rule: rankings#modalities-and-contexts).
 */
export type ContextLengthBucket = "1K" | "10K" | "100K" | "1M" | "10M"

/** Whose a key is. */
export interface KeyOwner {
  /** Of the key, whichever secret of it was named. */
  readonly hash: string
  readonly account_id: string
  readonly workspace_id: string
  readonly user_id: string | null
  readonly external_user: string | null
  readonly name: string
}

export interface Recorded {
  readonly accepted: number
  readonly duplicates: number
}

/** A recorded event that a store of usage beside this one does not have yet, or not as it is now. */
export interface OutgoingEvent {
  /** An integer that grows: of two of an event, the later is the event as it is. */
  readonly position: string
  readonly account_id: string
  /** `null`: it is no longer there. */
  readonly event: UsageEvent | null
}

/** Records usage events, for ever. */
export class UsageLog extends Context.Service<
  UsageLog,
  {
    /** The most events of one report, for a store whose other requests wait while it records them; absent: any number. */
    readonly mostOfReport?: number
    /**
     * Records every event of every chunk, or nothing when the stream fails. The first event with an id wins, within the
     * stream too; the others are duplicates. Counted events are visible to the next read. No lock is held while the stream waits.
     * An event that adjusts another is sent with the numbers that this one shall have; what is recorded is the difference, and
     * nothing where there is no such request. It follows the requests of its report.
     * An event that is counted and was selected is in the stream of deliveries from the same moment on; a duplicate is not.
     */
    readonly record: <E>(
      account_id: string,
      chunks: Stream.Stream<readonly UsageEvent[], E>
    ) => Effect.Effect<Recorded, E>
    /** The same for events of several accounts: all are recorded, or none. An id counts once in its account. */
    readonly recordAll: <E>(chunks: Stream.Stream<readonly AccountEvents[], E>) => Effect.Effect<Recorded, E>
    /** Requests of the account by id, as they were recorded: what can be adjusted. */
    readonly requestsOf: (account_id: string, ids: readonly string[]) => Effect.Effect<ReadonlyMap<string, UsageEvent>>
    /** The ids that the account has recorded already. */
    readonly recordedOf: (account_id: string, ids: readonly string[]) => Effect.Effect<ReadonlySet<string>>
    /**
     * Hash, account, workspace and user of API keys, by the hash of a key or of any secret of it; unknown hashes are absent. Without an account, finds keys of every account, for
     * gateway keys, which act in the account of the key that they name.
     */
    readonly keysOf: (
      account_id: string | undefined,
      api_key_hashes: readonly string[]
    ) => Effect.Effect<ReadonlyMap<string, KeyOwner>>
    /**
     * The events that wait for a store of usage beside this one, at most so many, the oldest first. The first call begins it: what is
     * recorded or changed from then on waits until it is forgotten here.
     */
    readonly outgoing: (limit: number) => Effect.Effect<readonly OutgoingEvent[]>
    /** The other store has these. */
    readonly forgetOutgoing: (positions: readonly string[]) => Effect.Effect<void>
    /** Sends some of what waits to the store of usage beside this one, and answers how many; 0 when nothing waits, or there is no such store. */
    readonly forward: Effect.Effect<number>
  }
>()("gatewarden/UsageLog") {}

export type RecordedUse = Pick<
  UsageEvent,
  | "id"
  | "created_at"
  | "workspace_id"
  | "api_key_hash"
  | "user_id"
  | "model"
  | "variant"
  | "provider"
  | "endpoint_tag"
  | "data_region"
  | "status"
  | "byok"
  | "cost_nanos"
  | "byok_cost_nanos"
>

export interface HistoryRange {
  /** ISO 8601 in UTC with milliseconds; the start inclusive, the end exclusive. */
  readonly start: string
  readonly end: string
  /** Only the usage of this key. */
  readonly api_key_hash?: string | undefined
}

/** Where the last page ended. */
export interface HistoryPlace {
  readonly created_at: string
  readonly id: string
}

/** Where a page of whole events ends. */
export interface HistoryPage {
  /** The page has the events up to here; the end of the range if there are no more. */
  readonly last: HistoryPlace
  /** There are events behind `last`, which the filter may pass. */
  readonly goesOn: boolean
}

/** Recorded usage in chronological order: whole events, or the fields that decisions depend on. */
export class UsageHistory extends Context.Service<
  UsageHistory,
  {
    /** At most `limit` events of the range after a position, by `created_at`, then `id` by code point. */
    readonly after: (
      account_id: string,
      range: HistoryRange,
      place: HistoryPlace | undefined,
      limit: number
    ) => Effect.Effect<readonly RecordedUse[]>
    /**
     * The end of a page that begins after a position: behind `limit` events that pass the filter, or behind `examined` events. Its cost
     * depends on these alone.
     */
    readonly pageAfter: (
      account_id: string,
      filter: EventFilter,
      place: HistoryPlace | undefined,
      most: { readonly limit: number; readonly examined: number }
    ) => Effect.Effect<HistoryPage>
    /**
     * Whole events that pass the filter after a position and up to another, in the same order. At least one if there is any, and fewer
     * than there are where they are many or long: an answer is bounded.
     */
    readonly eventsBetween: (
      account_id: string,
      filter: EventFilter,
      place: HistoryPlace | undefined,
      last: HistoryPlace
    ) => Effect.Effect<readonly UsageEvent[]>
  }
>()("gatewarden/UsageHistory") {}

/** Fields of an event that must equal a value. */
export const equalFields = [
  "workspace_id",
  "api_key_hash",
  "user_id",
  "external_user",
  "model",
  "variant",
  "provider",
  "endpoint_tag",
  "guardrail_id",
  "app",
  "session_id",
  "status"
] as const

export type EqualField = (typeof equalFields)[number]

/** Which recorded events are exported: those that every given field fits. */
export interface EventFilter {
  /** ISO 8601 in UTC with milliseconds; the start inclusive, the end exclusive. */
  readonly start: string | undefined
  readonly end: string
  readonly equal: { readonly [field in EqualField]?: string | undefined }
  /** The event is of one of these workspaces. */
  readonly workspaces?: readonly string[] | undefined
  /** Adjustments are events of their own, and requests are as they were reported. Absent: adjustments are added to their requests. */
  readonly apart?: boolean | undefined
  /** A tag that an event must have: any of the classifier, any value of the dimension, or one value. */
  readonly tag: EventTag | undefined
}

export interface EventTag {
  readonly classifier: string
  readonly dimension: string | undefined
  readonly value: string | undefined
}

/** Events of one answer of the store, and about their bytes as they lie there. */
export const eventsAtOnce = 500
export const bytesAtOnce = 262_144

export const passes = ({ start, end, equal, workspaces, tag }: EventFilter, event: UsageEvent): boolean =>
  (start === undefined || event.created_at >= start) &&
  event.created_at < end &&
  equalFields.every((field) => equal[field] === undefined || event[field] === equal[field]) &&
  (workspaces === undefined || workspaces.includes(event.workspace_id)) &&
  (tag === undefined || hasTag(tag, event))

const hasTag = ({ classifier, dimension, value }: EventTag, { classifiers }: UsageEvent): boolean => {
  if (classifiers === null || !Object.hasOwn(classifiers, classifier)) return false
  if (dimension === undefined) return true
  const tags = classifiers[classifier] ?? {}
  return Object.hasOwn(tags, dimension) && (value === undefined || tags[dimension] === value)
}

/** Nano-dollars: in total, and in the current UTC day, ISO week, month and any other unit of an interval. */
export type Spending = Readonly<Record<"total" | IntervalUnit, bigint>>

/** Asks for each of its amounts. */
export const spendingOf = (amountOf: (window: keyof Spending) => bigint): Spending =>
  Object.fromEntries((["total", ...intervalUnits] as const).map((window) => [window, amountOf(window)])) as Spending

/** `credits` sums `cost_usd`, `byok` sums `byok_cost_usd`; `held` and `byok_held` are the same of admissions that are neither settled nor expired. */
export interface KeyUsage {
  readonly credits: Spending
  readonly byok: Spending
  readonly held: Spending
  readonly byok_held: Spending
}

const nothing = spendingOf(() => 0n)

/** Of a key that nobody has used. */
export const noUsage: KeyUsage = { credits: nothing, byok: nothing, held: nothing, byok_held: nothing }

/**
 * The spending of keys, as the ledger counts it: an event counts at the instant at which its money was held, otherwise at its own.
 *
 * So `limit_remaining` equals the amount that the next admission is checked against, whatever instant a settlement names. Rule:
 * access#key-limits.
 * Source: docs/decisions/0003-decisions-and-money.md.
 */
export class KeyUsageReader extends Context.Service<
  KeyUsageReader,
  {
    /** By hash; an unused key may be left out. The windows are those of this moment, by the store's clock (`LedgerClock`). */
    readonly usageOf: (
      account_id: string,
      key_hashes: readonly string[]
    ) => Effect.Effect<ReadonlyMap<string, KeyUsage>>
  }
>()("gatewarden/KeyUsageReader") {}

export interface RecordedGeneration extends Pick<
  UsageEvent,
  | "id"
  | "created_at"
  | "workspace_id"
  | "model"
  | "variant"
  | "provider"
  | "external_user"
  | "origin"
  | "session_id"
  | "data_region"
  | "status"
  | "finish_reason"
  | "byok"
  | "prompt_tokens"
  | "completion_tokens"
  | "reasoning_tokens"
  | "cached_tokens"
  | "cost_nanos"
  | "byok_cost_nanos"
  | "latency_ms"
  | "generation_ms"
> {
  /** The cost component of that name. */
  readonly usage_upstream_nanos: bigint | null
  /** Until retention removes it. */
  readonly feedback: GenerationFeedback | null
}

/** Input and output that a workspace keeps. */
export interface KeptContent {
  readonly workspace_id: string
  readonly sealed_bodies: Uint8Array
}

/** Finds one recorded request by its id, and keeps what is said of it. */
export class Generations extends Context.Service<
  Generations,
  {
    /** The cost does not depend on how many events there are. */
    readonly find: (account_id: string, id: string) => Effect.Effect<Option.Option<RecordedGeneration>>
    /** Replaces the feedback that was given before. False, and nothing was kept, if the account has no such event. */
    readonly keepFeedback: (account_id: string, id: string, feedback: GenerationFeedback) => Effect.Effect<boolean>
    /** What is kept of an event's bodies, until retention removes it; none of a workspace that was deleted. They are written with the event (`UsageLog`). */
    readonly findContent: (account_id: string, id: string) => Effect.Effect<Option.Option<KeptContent>>
  }
>()("gatewarden/Generations") {}

/** A report. Its bodies are never part of the recorded event: they wait, encrypted, for the destinations that receive them, or are dropped. */
export type ReportedEvent = SentUsageEvent
