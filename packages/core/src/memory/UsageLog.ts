import { Effect, Stream } from "effect"
import type { UsageEvent } from "../usage/UsageEvent.ts"
import { UsageLog } from "../usage/UsageLog.ts"
import type { Tables } from "./Tables.ts"

export const usageLog = (tables: Tables) => {
  const eventsOf = (account_id: string): Map<string, UsageEvent> => {
    const events = tables.usageEvents.get(account_id) ?? new Map<string, UsageEvent>()
    tables.usageEvents.set(account_id, events)
    return events
  }
  return UsageLog.of({
    record: (account_id, chunks) =>
      Effect.map(Stream.runCollect(chunks), (collected) => {
        const recorded = eventsOf(account_id)
        const before = recorded.size
        let sent = 0
        for (const chunk of collected) {
          sent += chunk.length
          for (const event of chunk) if (!recorded.has(event.id)) recorded.set(event.id, event)
        }
        const accepted = recorded.size - before
        return { accepted, duplicates: sent - accepted }
      }),
    recordedOf: (account_id, ids) =>
      Effect.sync(() => {
        const recorded = eventsOf(account_id)
        return new Set(ids.filter((id) => recorded.has(id)))
      }),
    workspacesOf: (account_id, api_key_hashes) =>
      Effect.sync(() => {
        const workspaces = new Map<string, string>()
        for (const hash of api_key_hashes) {
          const key = tables.apiKeys.get(hash)
          if (key?.account_id === account_id && key.workspace_id !== null) workspaces.set(hash, key.workspace_id)
        }
        return workspaces
      })
  })
}
