/**
 * Holds and charges money: hold → renew → settle → expire. Each step covers every budget of a request atomically.
 *
 * Rule: money#no-overspending. The invariant is `spent + held <= limit` at every admission, for holds that have not expired, under
 * any concurrency on any number of processes. Amounts are nano-dollars; the store's clock determines windows.
 */
import { Context, type Effect, type Option } from "effect"
import type { Page, PageRequest } from "../value/Page.ts"
import type { SelectedEvent } from "../delivery/SelectedEvent.ts"
import type { UsageEvent } from "../usage/UsageEvent.ts"
import type { Budget, BudgetState, Cost } from "./Budget.ts"
import type { BudgetWarning } from "./BudgetWarning.ts"
import type { RequestSize } from "./requestSize.ts"

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
