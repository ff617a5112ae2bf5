import { Effect } from "effect"
import { apiPage, apiPagePath } from "../apiPage/apiPage.ts"
import type { Values } from "../config/variables.ts"
import type { Metrics } from "../metrics/makeMetrics.ts"
import { metricsPage, metricsPath } from "../metrics/metricsPage.ts"
import type { ServerPage, ServerPages } from "../platform/ServerPage.ts"

/** Relative, so that a proxy may put the server below another path. */
const redirectTo =
  (location: string): ServerPage =>
  () =>
    Effect.succeed({
      status: 302,
      headers: { location, "cache-control": "no-store", "content-length": "0" },
      body: undefined
    })

/** Where a newcomer looks for the page. */
const redirects: ReadonlyMap<string, ServerPage> = new Map([
  ["/", redirectTo(apiPagePath.slice(1))],
  [`${apiPagePath}/`, redirectTo(`..${apiPagePath}`)]
])

/** The pages that a configuration asks for. */
export const pagesOf = (values: Values, metrics: Metrics | undefined): ServerPages => {
  const ofMetrics = metrics !== undefined && values.GATEWARDEN_METRICS ? metricsPage(metrics) : undefined
  const ofApi = values.GATEWARDEN_DOCS ? apiPage(values.GATEWARDEN_BASE_PATH) : undefined
  return (path) => {
    if (path === metricsPath) return ofMetrics
    if (ofApi === undefined) return undefined
    return redirects.get(path) ?? (path === apiPagePath || path.startsWith(`${apiPagePath}/`) ? ofApi : undefined)
  }
}
