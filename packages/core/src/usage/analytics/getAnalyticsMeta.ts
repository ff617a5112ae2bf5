import { analyticsDimensions, analyticsGranularities, analyticsMetrics, analyticsOperators } from "@gatewarden/contract"
import { Effect } from "effect"

/** What a query may ask for. Rule: analytics#metrics, analytics#dimensions. */
export const getAnalyticsMeta = () =>
  Effect.succeed({
    metrics: [...analyticsMetrics],
    dimensions: [...analyticsDimensions],
    operators: [...analyticsOperators],
    granularities: [...analyticsGranularities]
  })
