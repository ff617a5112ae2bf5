import { Effect } from "effect"
import { startOfBucket } from "../analytics/timeWindow.ts"
import { KeyUsageReader } from "../usage/KeyUsageReader.ts"
import type { Tables } from "./Tables.ts"

export const keyUsageReader = (tables: Tables) =>
  KeyUsageReader.of({
    usageOf: (account_id, key_hash, now) =>
      Effect.sync(() => {
        const events = [...(tables.usageEvents.get(account_id)?.values() ?? [])]
        const own = events.filter((event) => event.api_key_hash === key_hash)
        const spending = (amount: "cost_nanos" | "byok_cost_nanos") => {
          const since = (start: number) =>
            own.reduce((sum, event) => (Date.parse(event.created_at) >= start ? sum + event[amount] : sum), 0n)
          return {
            total: since(Number.NEGATIVE_INFINITY),
            day: since(startOfBucket("day", now)),
            week: since(startOfBucket("week", now)),
            month: since(startOfBucket("month", now))
          }
        }
        return { credits: spending("cost_nanos"), byok: spending("byok_cost_nanos") }
      })
  })
