import { analyticsDimensions, analyticsGranularities, analyticsMetrics, analyticsOperators } from "@gatewarden/contract"
import { Effect } from "effect"

/** What a query may ask for. Source: public API 2.5. */
export const getAnalyticsMeta = () =>
  Effect.succeed({
    metrics: [...analyticsMetrics],
    dimensions: [...analyticsDimensions],
    operators: [...analyticsOperators],
    granularities: [...analyticsGranularities]
  })
