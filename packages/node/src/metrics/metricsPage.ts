import { Effect } from "effect"
import type { ServerPage } from "../platform/ServerPage.ts"
import type { Metrics } from "./makeMetrics.ts"

export const metricsPath = "/metrics"

export const metricsPage =
  ({ text }: Metrics): ServerPage =>
  () =>
    Effect.sync(() => ({
      status: 200,
      headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8", "cache-control": "no-store" },
      body: text()
    }))
