/**
 * Where money is held and charged: hold → renew → settle → expire, every budget of a request in one atomic step.
 *
 * Rule: money#no-overspending. The invariant is `spent + held <= limit` at every admission, for holds that have not expired, under
 * any concurrency on any number of processes. Amounts are nano-dollars; windows are functions of the store's clock.
 */
import { Context, type Effect, type Option } from "effect"
import type { Page, PageRequest } from "../value/Page.ts"
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
  /** What the request may cost, one for each candidate that policy permits. */
  readonly costs: readonly Cost[]
  readonly hold_seconds: number
  /** Kept with the hold until it is settled, for units that the settlement does not report. */
  readonly size?: RequestSize | undefined
}

/** What was held under an id. */
export interface HeldUnder {
  /** The most, the workspace's own credentials counted. */
  readonly nanos: bigint
  /** `undefined` once it is settled, and where it was held without. */
  readonly size: RequestSize | undefined
}

export interface HeldAmount {
  readonly budget: Budget
  /** Epoch milliseconds; `null` for a lifetime. */
  readonly window_start: number | null
  readonly nanos: bigint
}

/** `states` are the budgets as they were when it was decided, in the order of the request. */
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
     * Holds when at least one cost fits every budget: of each budget the largest of the costs that fit them all. Otherwise holds
     * nothing. Who is interrupted while asking holds nothing. An id holds once.
     */
    readonly hold: (account_id: string, request: HoldRequest) => Effect.Effect<HoldOutcome>
    /** The new expiry; none when nothing is held under this id. */
    readonly renew: (
      account_id: string,
      admission_id: string,
      hold_seconds: number
    ) => Effect.Effect<Option.Option<string>>
    /**
     * Records the event, whose id is the admission's, charges the windows that were held and releases the hold. Settling again
     * changes nothing and answers the same. An admission that held nothing only records. Who held as a member spends, though the
     * event may not know any more whose key it was.
     */
    readonly settle: (account_id: string, event: UsageEvent) => Effect.Effect<SettleOutcome>
    /** What was held under an id, whether or not it is settled or has expired; none when nothing was, or when it is forgotten. */
    readonly heldUnder: (account_id: string, admission_id: string) => Effect.Effect<Option.Option<HeldUnder>>
    /** Gives back what is held; idempotent. */
    readonly release: (account_id: string, admission_id: string) => Effect.Effect<void>
    /** The budgets in their current windows; changes nothing. */
    readonly states: (
      account_id: string,
      workspace_id: string,
      budgets: readonly Budget[]
    ) => Effect.Effect<readonly BudgetState[]>
    /** What was warned of, of one workspace or of all, in the order in which it was. `BudgetWarningFeed` tells at once. */
    readonly warnings: (
      account_id: string,
      workspace_id: string | undefined,
      page: PageRequest
    ) => Effect.Effect<Page<BudgetWarning>>
  }
>()("gatewarden/BudgetLedger") {}
