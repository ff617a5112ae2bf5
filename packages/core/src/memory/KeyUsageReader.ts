import { Effect } from "effect"
import { startOfBucket } from "../analytics/timeWindow.ts"
import { KeyUsageReader } from "../usage/KeyUsageReader.ts"
import type { UsageEvent } from "../usage/UsageEvent.ts"
import type { Tables } from "./Tables.ts"

export const keyUsageReader = (tables: Tables) =>
  KeyUsageReader.of({
    usageOf: (account_id, key_hashes, now) =>
      Effect.sync(() => {
        const events = [...(tables.usageEvents.get(account_id)?.values() ?? [])]
        const spending = (own: readonly UsageEvent[], amount: "cost_nanos" | "byok_cost_nanos") => {
          const since = (start: number) =>
            own.reduce((sum, event) => (Date.parse(event.created_at) >= start ? sum + event[amount] : sum), 0n)
          return {
            total: since(Number.NEGATIVE_INFINITY),
            day: since(startOfBucket("day", now)),
            week: since(startOfBucket("week", now)),
            month: since(startOfBucket("month", now))
          }
        }
        return new Map(
          key_hashes.map((hash) => {
            const own = events.filter((event) => event.api_key_hash === hash)
            return [hash, { credits: spending(own, "cost_nanos"), byok: spending(own, "byok_cost_nanos") }]
          })
        )
      })
  })
