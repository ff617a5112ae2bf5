import type { DestinationType } from "@gatewarden/contract"
import type { Renderer } from "./rendering/Renderer.ts"
import { arize } from "./types/arize.ts"
import { braintrust } from "./types/braintrust.ts"
import { clickhouse } from "./types/clickhouse.ts"
import { datadog } from "./types/datadog.ts"
import { grafana } from "./types/grafana.ts"
import { langfuse } from "./types/langfuse.ts"
import { langsmith } from "./types/langsmith.ts"
import { newrelic } from "./types/newrelic.ts"
import { opik } from "./types/opik.ts"
import { otelCollector } from "./types/otel-collector.ts"
import { posthog } from "./types/posthog.ts"
import { ramp } from "./types/ramp.ts"
import { s3 } from "./types/s3.ts"
import { sentry } from "./types/sentry.ts"
import { snowflake } from "./types/snowflake.ts"
import { weave } from "./types/weave.ts"
import { webhook } from "./types/webhook.ts"

/**
 * The renderer of each destination type. A type without one does not compile.
 *
 * Rule: observability#delivery.
 */
export const renderers: { readonly [Type in DestinationType]: Renderer<Type> } = {
  arize,
  braintrust,
  clickhouse,
  datadog,
  grafana,
  langfuse,
  langsmith,
  newrelic,
  opik,
  "otel-collector": otelCollector,
  posthog,
  ramp,
  s3,
  sentry,
  snowflake,
  weave,
  webhook
}
