import { budgetIntervals, intervalUnits } from "@gatewarden/contract/internal"
import { Clock, Effect } from "effect"
import { windowDays } from "../ledger/LedgerClock.ts"
import { KeyUsageReader, type Spending, spendingOf } from "../ports/usage.ts"
import type { Tables } from "./tables/Tables.ts"
import type { Amounts } from "../ledger/judgeHolds.ts"
import { nothing } from "./tables/WindowSums.ts"

type Days = ReturnType<typeof windowDays>

export const keyUsageReader = (tables: Tables) => {
  const { ledgerOfSpenders: ledger } = tables
  return KeyUsageReader.of({
    usageOf: (account_id, key_hashes) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const windows = new Map<string, Days>(intervalUnits.map((unit) => [unit, windowDays(unit, now)]))
        return new Map(
          key_hashes.map((hash) => {
            // First, because what has expired may be charged.
            const held = new Map<string, Amounts>(
              budgetIntervals.map(({ name, unit }) => [unit ?? "total", ledger.heldByKey(account_id, hash, name, now)])
            )
            const days = [...(tables.keyDays.get(`${account_id} ${hash}`) ?? [])]
            const spending = (amount: keyof Amounts): Spending => {
              return spendingOf((window) => {
                const within = windows.get(window)
                return days.reduce(
                  (total, [day, amounts]) =>
                    within === undefined || (day >= within.first && day < within.end) ? total + amounts[amount] : total,
                  0n
                )
              })
            }
            const holding = (amount: keyof Amounts): Spending =>
              spendingOf((window) => (held.get(window) ?? nothing)[amount])
            return [
              hash,
              {
                credits: spending("nanos"),
                byok: spending("byok_nanos"),
                held: holding("nanos"),
                byok_held: holding("byok_nanos")
              }
            ]
          })
        )
      })
  })
}
