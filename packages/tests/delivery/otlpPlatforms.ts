/** Every OTLP renderer with the intake of its platform. */
import type { DestinationType } from "@gatewarden/contract/internal"
import { Effect, type Scope } from "effect"
import type { OtlpIntake } from "@gatewarden/testkit/delivery/platforms/OtlpIntake"
import { startArize } from "@gatewarden/testkit/delivery/platforms/arize"
import { startBraintrust } from "@gatewarden/testkit/delivery/platforms/braintrust"
import { startGrafana } from "@gatewarden/testkit/delivery/platforms/grafana"
import { startLangfuse } from "@gatewarden/testkit/delivery/platforms/langfuse"
import { startLangsmith } from "@gatewarden/testkit/delivery/platforms/langsmith"
import { startNewrelic } from "@gatewarden/testkit/delivery/platforms/newrelic"
import { startOpik } from "@gatewarden/testkit/delivery/platforms/opik"
import { startOtelCollector } from "@gatewarden/testkit/delivery/platforms/otel-collector"
import { startRamp } from "@gatewarden/testkit/delivery/platforms/ramp"
import { startSentry } from "@gatewarden/testkit/delivery/platforms/sentry"
import { startWeave } from "@gatewarden/testkit/delivery/platforms/weave"
import { startWebhook } from "@gatewarden/testkit/delivery/platforms/webhook"
import type { DeliveryVerdict, RenderedRequest, Renderer } from "../../core/src/delivery/rendering/Renderer.ts"
import { arize } from "../../core/src/delivery/types/arize.ts"
import { braintrust } from "../../core/src/delivery/types/braintrust.ts"
import { grafana, newrelic, otelCollector, ramp } from "../../core/src/delivery/types/otlpTypes.ts"
import { langfuse } from "../../core/src/delivery/types/langfuse.ts"
import { langsmith } from "../../core/src/delivery/types/langsmith.ts"
import { opik } from "../../core/src/delivery/types/opik.ts"
import { sentry } from "../../core/src/delivery/types/sentry.ts"
import { weave } from "../../core/src/delivery/types/weave.ts"
import { webhook } from "../../core/src/delivery/types/webhook.ts"
import { sendRendered } from "./sendRendered.ts"

/** A renderer and its intake, of one type which the tests need not know. */
export interface Platform {
  readonly type: DestinationType
  readonly renderer: Renderer<never>
  readonly start: Effect.Effect<OtlpIntake<never>, never, Scope.Scope>
}

const platform = <Type extends DestinationType>(
  renderer: Renderer<Type>,
  start: Effect.Effect<OtlpIntake<Type>, never, Scope.Scope>
): Platform => ({ type: renderer.type, renderer: renderer as never, start: start as never })

export const otlpPlatforms: readonly Platform[] = [
  platform(arize, startArize),
  platform(braintrust, startBraintrust),
  platform(grafana, startGrafana),
  platform(langfuse, startLangfuse),
  platform(langsmith, startLangsmith),
  platform(newrelic, startNewrelic),
  platform(opik, startOpik),
  platform(otelCollector, startOtelCollector),
  platform(ramp, startRamp),
  platform(sentry, startSentry),
  platform(weave, startWeave),
  platform(webhook, startWebhook)
]

/** Sends a request over HTTP, and judges the answer. */
export const send = (renderer: Renderer<never>, request: RenderedRequest): Effect.Effect<DeliveryVerdict> =>
  Effect.map(sendRendered(request, renderer.judge), ({ verdict }) => verdict)
