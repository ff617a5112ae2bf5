import { Effect } from "effect"
import { windowDays } from "../ledger/budgetWindow.ts"
import { KeyUsageReader, type Spending } from "../usage/KeyUsageReader.ts"
import type { Tables } from "./Tables.ts"
import type { Amounts } from "./WindowSums.ts"

export const keyUsageReader = (tables: Tables) =>
  KeyUsageReader.of({
    usageOf: (account_id, key_hashes, now) =>
      Effect.sync(() => {
        const windows = { day: windowDays("day", now), week: windowDays("week", now), month: windowDays("month", now) }
        return new Map(
          key_hashes.map((hash) => {
            const days = [...(tables.keyDays.get(`${account_id} ${hash}`) ?? [])]
            const spending = (amount: keyof Amounts): Spending => {
              const within = ({ first, end }: { readonly first: string; readonly end: string }) =>
                days.reduce(
                  (total, [day, amounts]) => (day >= first && day < end ? total + amounts[amount] : total),
                  0n
                )
              return {
                total: days.reduce((total, [, amounts]) => total + amounts[amount], 0n),
                day: within(windows.day),
                week: within(windows.week),
                month: within(windows.month)
              }
            }
            return [hash, { credits: spending("nanos"), byok: spending("byok_nanos") }]
          })
        )
      })
  })
