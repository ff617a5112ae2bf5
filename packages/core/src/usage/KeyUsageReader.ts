/**
 * The spending of keys, as the ledger counts it: an event counts at the instant at which its money was held, otherwise at its own.
 *
 * So `limit_remaining` equals the amount that the next admission is checked against, whatever instant a settlement names. Rule:
 * access#key-limits.
 * Source: docs/decisions/0003-decisions-and-money.md.
 */
import { type IntervalUnit, intervalUnits } from "@gatewarden/contract"
import { Context, type Effect } from "effect"

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

export class KeyUsageReader extends Context.Service<
  KeyUsageReader,
  {
    /** By hash; an unused key may be left out. The windows are those that contain `now`, in epoch milliseconds. */
    readonly usageOf: (
      account_id: string,
      key_hashes: readonly string[],
      now: number
    ) => Effect.Effect<ReadonlyMap<string, KeyUsage>>
  }
>()("gatewarden/KeyUsageReader") {}
