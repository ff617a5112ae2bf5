import type { Values } from "../config/variables.ts"
import type { Metrics } from "../metrics/makeMetrics.ts"
import { metricsPage, metricsPath } from "../metrics/metricsPage.ts"
import type { Page, Pages } from "./Page.ts"

/** The pages that a configuration asks for. */
export const pagesOf = (values: Values, metrics: Metrics | undefined): Pages =>
  new Map<string, Page>(metrics !== undefined && values.GATEWARDEN_METRICS ? [[metricsPath, metricsPage(metrics)]] : [])
