import { Effect } from "effect"
import { compareText } from "../value/compareText.ts"
import { UsageHistory } from "../usage/UsageHistory.ts"
import type { Tables } from "./tables/Tables.ts"

export const usageHistory = (tables: Tables) =>
  UsageHistory.of({
    after: (account_id, { start, end, api_key_hash }, place, limit) =>
      Effect.sync(() =>
        [...(tables.usageEvents.get(account_id)?.values() ?? [])]
          .filter((event) => event.created_at >= start && event.created_at < end)
          .filter((event) => api_key_hash === undefined || event.api_key_hash === api_key_hash)
          .sort((a, b) => compareText(a.created_at, b.created_at) || compareText(a.id, b.id))
          .filter(
            ({ created_at, id }) =>
              place === undefined ||
              created_at > place.created_at ||
              (created_at === place.created_at && compareText(id, place.id) > 0)
          )
          .slice(0, limit)
      )
  })
