import { analyticsDimensions, analyticsGranularities, analyticsMetrics, analyticsOperators } from "@gatewarden/contract"
import { Effect } from "effect"

/** The metrics and dimensions that a query may use. Rule: analytics#metrics, analytics#dimensions. */
export const getAnalyticsMeta = () =>
  Effect.succeed({
    metrics: [...analyticsMetrics],
    dimensions: [...analyticsDimensions],
    operators: [...analyticsOperators],
    granularities: [...analyticsGranularities]
  })
