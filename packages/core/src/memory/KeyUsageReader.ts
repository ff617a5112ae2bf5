import { intervalUnits } from "@gatewarden/contract"
import { Effect } from "effect"
import { windowDays } from "../ledger/budgetWindow.ts"
import { KeyUsageReader, type Spending, spendingOf } from "../usage/KeyUsageReader.ts"
import type { Tables } from "./tables/Tables.ts"
import type { Amounts } from "./tables/WindowSums.ts"

type Days = ReturnType<typeof windowDays>

export const keyUsageReader = (tables: Tables) =>
  KeyUsageReader.of({
    usageOf: (account_id, key_hashes, now) =>
      Effect.sync(() => {
        const windows = new Map<string, Days>(intervalUnits.map((unit) => [unit, windowDays(unit, now)]))
        return new Map(
          key_hashes.map((hash) => {
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
            return [hash, { credits: spending("nanos"), byok: spending("byok_nanos") }]
          })
        )
      })
  })
