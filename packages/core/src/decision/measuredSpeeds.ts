/**
 * How fast the endpoints of the requested models were in the last 30 minutes, where the order of candidates depends on it.
 *
 * Rule: admissions#order-of-candidates, models#endpoint-statistics. A value may be a minute old, so that a busy key costs no query
 * per request.
 */
import type { CatalogEndpoint, ProviderPreferences } from "@gatewarden/contract"
import { Effect } from "effect"
import { ModelCatalog } from "../ports/models.ts"
import type { VisibleModel } from "../catalog/ownModels.ts"
import { measureEndpoints } from "../model/measureModels.ts"
import { DecisionCache } from "../policy/DecisionCache.ts"
import { asksForMeasurements, type EndpointSpeed, type Measured } from "../policy/orderCandidates.ts"

const measure = Effect.fnUntraced(function* (account_id: string, model: VisibleModel) {
  const family = yield* (yield* ModelCatalog).named(account_id, [model.canonical_slug])
  const statistics = yield* measureEndpoints(account_id, model, family)
  return statistics.map(({ latency_last_30m, throughput_last_30m }): EndpointSpeed => ({
    latency: latency_last_30m,
    throughput: throughput_last_30m
  }))
})

export const measuredSpeeds = Effect.fnUntraced(function* (
  account_id: string,
  models: readonly VisibleModel[],
  preferences: ProviderPreferences
) {
  const speeds = new Map<CatalogEndpoint, EndpointSpeed>()
  if (asksForMeasurements(preferences)) {
    const { speeds: cache } = yield* DecisionCache
    for (const model of models) {
      const measured = yield* cache.share(model.id, measure(account_id, model), account_id)
      for (const [index, endpoint] of model.endpoints.entries()) {
        const speed = measured[index]
        if (speed !== undefined) speeds.set(endpoint, speed)
      }
    }
  }
  const measured: Measured = ({ endpoint }) => speeds.get(endpoint)
  return measured
})
