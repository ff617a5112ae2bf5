import { apiPage, apiPagePath } from "../apiPage/apiPage.ts"
import type { Values } from "../config/variables.ts"
import type { Metrics } from "../metrics/makeMetrics.ts"
import { metricsPage, metricsPath } from "../metrics/metricsPage.ts"
import type { Pages } from "./Page.ts"

/** The pages that a configuration asks for. */
export const pagesOf = (values: Values, metrics: Metrics | undefined): Pages => {
  const ofMetrics = metrics !== undefined && values.GATEWARDEN_METRICS ? metricsPage(metrics) : undefined
  const ofApi = values.GATEWARDEN_DOCS ? apiPage(values.GATEWARDEN_BASE_PATH) : undefined
  return (path) => {
    if (path === metricsPath) return ofMetrics
    return path === apiPagePath || path.startsWith(`${apiPagePath}/`) ? ofApi : undefined
  }
}
