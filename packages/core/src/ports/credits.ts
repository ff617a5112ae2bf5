/** What was granted to accounts, in entries that are appended and never changed, and what accounts have spent. */
import type { CreditGrant } from "@gatewarden/contract"
import { Context, type Effect } from "effect"
import type { PageRequest } from "../value/Page.ts"

/** What an account can be granted in all, in nano-dollars: a billion USD. */
export const mostCreditNanos = 1_000_000_000n * 1_000_000_000n

/** An entry that is not written yet. */
export interface CreditDraft {
  readonly id: string
  /** Nano-dollars; negative for a revocation. */
  readonly amount_nanos: bigint
  readonly note: string
  readonly created_at: string
}

/** Nano-dollars. */
export interface CreditTotals {
  readonly granted_nanos: bigint
  /** What recorded usage cost the account, as its ledger counts it. */
  readonly spent_nanos: bigint
}

export class Credits extends Context.Service<
  Credits,
  {
    /**
     * Appends an entry, and answers it with the total after it. Concurrent calls run one after another. `out_of_range`: nothing was
     * written, because the total would be below 0 or above `mostCreditNanos`. `missing`: there is no such account.
     */
    readonly append: (account_id: string, draft: CreditDraft) => Effect.Effect<CreditGrant | "out_of_range" | "missing">
    /** Both 0 for an account without entries or usage. Costs the same however many entries and events there are. */
    readonly totals: (account_id: string) => Effect.Effect<CreditTotals>
    /** The latest first. */
    readonly list: (account_id: string, page: PageRequest) => Effect.Effect<readonly CreditGrant[]>
  }
>()("gatewarden/Credits") {}
