import type { BudgetInterval, BudgetScope, KeyRateLimits } from "@gatewarden/contract"
import { Context, type Effect, type Option } from "effect"
import type { RequestSize } from "../request/requestSize.ts"
import type { Page, PageRequest } from "../value/Page.ts"
import type { SelectedEvent, UsageEvent } from "./usage.ts"

export interface HoldRequest {
  /** The id under which the request is settled, and under which its usage event is recorded. */
  readonly admission_id: string
  readonly workspace_id: string
  readonly key_hash: string
  readonly user_id: string | null
  readonly budgets: readonly Budget[]
  /** The maximum costs of the request, one for each candidate that policy permits. */
  readonly costs: readonly Cost[]
  readonly hold_seconds: number
  /** What becomes of the amount if the hold expires: it is released, or charged in full to the budgets that hold it. Default: `release`. */
  readonly on_expiry?: OnExpiry | undefined
  /** Stored with the hold until it is settled, to charge units that the settlement does not report. */
  readonly size?: RequestSize | undefined
}

/** Rule: admissions#charge-on-expiry. */
export type OnExpiry = "release" | "charge"

/** What was held under an id. */
export interface HeldUnder {
  /** The maximum, including BYOK costs. */
  readonly nanos: bigint
  /** The maximum of shared capacity; `undefined` after the settlement. */
  readonly shared_nanos: bigint | undefined
  /** `undefined` after the settlement, and if the hold was made without it. */
  readonly size: RequestSize | undefined
}

export interface HeldAmount {
  readonly budget: Budget
  /** Epoch milliseconds; `null` for a lifetime. */
  readonly window_start: number | null
  readonly nanos: bigint
}

/** `states`: the budgets at the time of the decision, in the order of the request. */
export type HoldOutcome =
  | {
      readonly held: true
      readonly holds: readonly HeldAmount[]
      readonly states: readonly BudgetState[]
      readonly expires_at: string
    }
  | { readonly held: false; readonly states: readonly BudgetState[] }

export interface ChargedAmount extends HeldAmount {
  /** The part of the charge that lies above the limit. */
  readonly overdraft_nanos: bigint
}

export interface SettleOutcome {
  readonly charges: readonly ChargedAmount[]
  readonly overdraft_nanos: bigint
}

/**
 * Holds and charges money: hold → renew → settle → expire. Each step covers every budget of a request atomically.
 *
 * Rule: money#no-overspending. The invariant is `spent + held <= limit` at every admission, for holds that have not expired, under
 * any concurrency on any number of processes. Amounts are nano-dollars; the store's clock determines windows.
 */
export class BudgetLedger extends Context.Service<
  BudgetLedger,
  {
    /**
     * Holds if at least one cost fits every budget: in each budget the largest of the costs that fit all of them. Otherwise holds nothing.
     * An interrupted caller leaves no hold. Reusing an id is an error.
     */
    readonly hold: (account_id: string, request: HoldRequest) => Effect.Effect<HoldOutcome>
    /** The new expiry; none if nothing is held under this id. */
    readonly renew: (
      account_id: string,
      admission_id: string,
      hold_seconds: number
    ) => Effect.Effect<Option.Option<string>>
    /**
     * Records the event, whose id is the admission's, charges the windows that were held and releases the hold. A repetition changes
     * nothing and answers the same. It replaces what was charged when the hold expired. An admission that held nothing is only recorded. The
     * user of the hold is charged, even if the event no longer knows whose key it was. `selected`: where the event is delivered, if this
     * records it.
     */
    readonly settle: (
      account_id: string,
      event: UsageEvent,
      selected?: SelectedEvent | undefined
    ) => Effect.Effect<SettleOutcome>
    /** The hold under an id, also if it is settled or expired; none if there was none, or if it was deleted. */
    readonly heldUnder: (account_id: string, admission_id: string) => Effect.Effect<Option.Option<HeldUnder>>
    /** Releases the hold, or takes back what was charged when it expired; idempotent. */
    readonly release: (account_id: string, admission_id: string) => Effect.Effect<void>
    /** The budgets in their current windows; changes nothing. */
    readonly states: (
      account_id: string,
      workspace_id: string,
      budgets: readonly Budget[]
    ) => Effect.Effect<readonly BudgetState[]>
    /** The recorded warnings of one workspace or of all, oldest first. `BudgetWarningFeed` delivers them at once. */
    readonly warnings: (
      account_id: string,
      workspace_id: string | undefined,
      page: PageRequest
    ) => Effect.Effect<Page<BudgetWarning>>
  }
>()("gatewarden/BudgetLedger") {}

/**
 * A limit on spending that applies to a request, and the state of its current window.
 *
 * Rule: money#budgets.
 */
export interface Budget {
  readonly scope: BudgetScope
  /** Who spends: the hash of a key, the id of a user, or the id of a workspace. */
  readonly entity: string
  readonly guardrail_id: string | null
  readonly interval: BudgetInterval
  readonly limit_nanos: bigint
  /** Whether spending with the workspace's own credentials counts. */
  readonly include_byok: boolean
}

/** A budget in its current window. */
export interface BudgetState {
  readonly budget: Budget
  /** Epoch milliseconds in UTC; `null` for a lifetime. */
  readonly window_start: number | null
  readonly spent_nanos: bigint
  /** By holds that have not expired. */
  readonly held_nanos: bigint
}

/** The cost of a request with one candidate. `byok`: the workspace's own credential pays it. */
export interface Cost {
  readonly nanos: bigint
  readonly byok: boolean
}

/** From the lowest threshold to the highest. */
export const warningKinds = ["spent_80", "spent_95", "denied"] as const
export type BudgetWarningKind = (typeof warningKinds)[number]

/** The percentage of a limit at which a kind is due. */
export const warningPercents = { spent_80: 80n, spent_95: 95n } as const satisfies Partial<
  Record<BudgetWarningKind, bigint>
>

/**
 * A warning that a budget is nearly spent, is spent, or has denied a request: once for each window and limit.
 *
 * Rule: money#budget-warnings. Source: docs/decisions/0003-decisions-and-money.md.
 */
export interface BudgetWarning {
  readonly kind: BudgetWarningKind
  /** With the limit as it was then. */
  readonly budget: Budget
  readonly workspace_id: string
  /** Epoch milliseconds; `null` for a lifetime. */
  readonly window_start: number | null
  readonly spent_nanos: bigint
  /** The amount that other requests held, if an admission reached the threshold; `null` for a settlement. */
  readonly held_nanos: bigint | null
  readonly created_at: string
}

export const rateSpanMillis = 60_000

export interface KeyRateRequest {
  readonly admission_id: string
  readonly key_hash: string
  readonly limits: KeyRateLimits
  /** The maximum tokens of the request; they count until the actual number is known. */
  readonly tokens: number
  /** How long it counts as running when nobody says that it has ended. */
  readonly hold_seconds: number
}

/** The usage of a key, without the present request. */
export interface KeyRateUse {
  readonly requests: number
  readonly tokens: number
  readonly parallel: number
  /** Epoch milliseconds at which the oldest request leaves the minute; `null`: there is none. */
  readonly resets_at: number | null
}

export interface KeyRateOutcome {
  readonly admitted: boolean
  /** As it was when it was decided. */
  readonly use: KeyRateUse
}

/**
 * Rate limits of keys: requests and tokens in any sixty seconds, and parallel requests; exact across the processes of one store.
 *
 * An admission is counted here before money is held, and withdrawn if a budget denies it: a denied request consumes nothing.
 * Rule: access#key-rate-limits. Source: docs/decisions/0003-decisions-and-money.md. Not in the public API; no limit is set by default.
 */
export class KeyRateCounts extends Context.Service<
  KeyRateCounts,
  {
    /** Counts the request against every limit, or against none if one of them is used up. */
    readonly admit: (account_id: string, request: KeyRateRequest) => Effect.Effect<KeyRateOutcome>
    /** The present usage of the key; changes nothing. */
    readonly use: (account_id: string, key_hash: string) => Effect.Effect<KeyRateUse>
    /** Extends a running request, from now. Does nothing for one that has ended or is unknown. */
    readonly renew: (account_id: string, admission_id: string, hold_seconds: number) => Effect.Effect<void>
    /** Ends a request with the tokens that it used, by default the maximum. Only the first end counts. */
    readonly finish: (account_id: string, admission_id: string, tokens: number | undefined) => Effect.Effect<void>
    /** As if it had never asked. */
    readonly withdraw: (account_id: string, admission_id: string) => Effect.Effect<void>
  }
>()("gatewarden/KeyRateCounts") {}
