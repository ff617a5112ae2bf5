/**
 * What a key has spent, as the ledger counts it: an event belongs to the instant at which its money was held, else to its own.
 *
 * So `limit_remaining` is what the next admission finds, whatever instant a settlement names. Rule: access#key-limits.
 * Source: docs/decisions/0003-decisions-and-money.md.
 */
import { type IntervalUnit, intervalUnits } from "@gatewarden/contract"
import { Context, type Effect } from "effect"

/** Nano-dollars: in all, and in the current UTC day, ISO week (Monday), month and whatever unit else an interval has. */
export type Spending = Readonly<Record<"total" | IntervalUnit, bigint>>

/** Asks for each of its amounts. */
export const spendingOf = (amountOf: (window: keyof Spending) => bigint): Spending =>
  Object.fromEntries((["total", ...intervalUnits] as const).map((window) => [window, amountOf(window)])) as Spending

/** `credits` sums `cost_usd`, `byok` sums `byok_cost_usd`. */
export interface KeyUsage {
  readonly credits: Spending
  readonly byok: Spending
}

const nothing = spendingOf(() => 0n)

/** Of a key that nobody has used. */
export const noUsage: KeyUsage = { credits: nothing, byok: nothing }

export class KeyUsageReader extends Context.Service<
  KeyUsageReader,
  {
    /** By hash; a key that nobody has used may be left out. The windows are those that hold `now`, in epoch milliseconds. */
    readonly usageOf: (
      account_id: string,
      key_hashes: readonly string[],
      now: number
    ) => Effect.Effect<ReadonlyMap<string, KeyUsage>>
  }
>()("gatewarden/KeyUsageReader") {}
