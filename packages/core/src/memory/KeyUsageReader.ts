import { Effect } from "effect"
import { startOfBucket } from "../analytics/timeWindow.ts"
import { KeyUsageReader, type Spending } from "../usage/KeyUsageReader.ts"
import type { Tables } from "./Tables.ts"
import type { Amounts } from "./WindowSums.ts"

export const keyUsageReader = (tables: Tables) =>
  KeyUsageReader.of({
    usageOf: (account_id, key_hashes, now) =>
      Effect.sync(() => {
        const firstDays = {
          day: firstDayOf("day", now),
          week: firstDayOf("week", now),
          month: firstDayOf("month", now)
        }
        return new Map(
          key_hashes.map((hash) => {
            const days = [...(tables.keyDays.get(`${account_id} ${hash}`) ?? [])]
            const spending = (amount: keyof Amounts): Spending => {
              const since = (first: string) =>
                days.reduce((total, [day, amounts]) => (day >= first ? total + amounts[amount] : total), 0n)
              return {
                total: since(""),
                day: since(firstDays.day),
                week: since(firstDays.week),
                month: since(firstDays.month)
              }
            }
            return [hash, { credits: spending("nanos"), byok: spending("byok_nanos") }]
          })
        )
      })
  })

/** The UTC day on which a bucket begins. Buckets begin at midnight, so that whole days make them up. */
const firstDayOf = (granularity: "day" | "week" | "month", now: number): string =>
  new Date(startOfBucket(granularity, now)).toISOString().slice(0, 10)
