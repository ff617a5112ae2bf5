import { Effect } from "effect"
import { EndpointStatisticsReader } from "../ports/analytics.ts"
import { measureEndpoint } from "../model/measureEndpoint.ts"
import { hasVariant } from "../catalog/modelNames.ts"
import type { Tables } from "./tables/Tables.ts"

export const endpointStatisticsReader = (tables: Tables) =>
  EndpointStatisticsReader.of({
    measure: ({ account_id, slug, variants, endpoints, now }) =>
      Effect.sync(() => {
        const recorded =
          account_id === undefined
            ? [...tables.usageEvents.values()]
                .flatMap((ofAccount) => [...ofAccount.values()])
                .filter(({ self_reported }) => !self_reported)
            : [...(tables.usageEvents.get(account_id)?.values() ?? [])]
        const events = recorded.filter(
          (event) => event.adjusts === null && event.model === slug && hasVariant(variants, event.variant)
        )
        return endpoints.map((endpoint) => measureEndpoint(endpoint, events, now))
      })
  })
