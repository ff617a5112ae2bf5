import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"
import type { Page } from "../server/Page.ts"
import type { Metrics } from "./makeMetrics.ts"

export const metricsPath = "/metrics"

export const metricsPage =
  ({ text }: Metrics): Page =>
  () =>
    Effect.sync(() =>
      HttpServerResponse.text(text(), {
        contentType: "text/plain; version=0.0.4; charset=utf-8",
        headers: { "cache-control": "no-store" }
      })
    )
