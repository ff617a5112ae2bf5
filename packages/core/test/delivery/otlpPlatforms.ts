/** Every OTLP renderer with the intake of its platform. */
import type { DestinationType } from "@gatewarden/contract"
import { Effect, type Scope } from "effect"
import type { OtlpIntake } from "../../../conformance/src/delivery/platforms/OtlpIntake.ts"
import { startArize } from "../../../conformance/src/delivery/platforms/arize.ts"
import { startBraintrust } from "../../../conformance/src/delivery/platforms/braintrust.ts"
import { startGrafana } from "../../../conformance/src/delivery/platforms/grafana.ts"
import { startLangfuse } from "../../../conformance/src/delivery/platforms/langfuse.ts"
import { startLangsmith } from "../../../conformance/src/delivery/platforms/langsmith.ts"
import { startNewrelic } from "../../../conformance/src/delivery/platforms/newrelic.ts"
import { startOpik } from "../../../conformance/src/delivery/platforms/opik.ts"
import { startOtelCollector } from "../../../conformance/src/delivery/platforms/otel-collector.ts"
import { startRamp } from "../../../conformance/src/delivery/platforms/ramp.ts"
import { startSentry } from "../../../conformance/src/delivery/platforms/sentry.ts"
import { startWeave } from "../../../conformance/src/delivery/platforms/weave.ts"
import { startWebhook } from "../../../conformance/src/delivery/platforms/webhook.ts"
import type { DeliveryVerdict, RenderedRequest, Renderer } from "../../src/delivery/rendering/Renderer.ts"
import { arize } from "../../src/delivery/types/arize.ts"
import { braintrust } from "../../src/delivery/types/braintrust.ts"
import { grafana, newrelic, otelCollector, ramp } from "../../src/delivery/types/otlpTypes.ts"
import { langfuse } from "../../src/delivery/types/langfuse.ts"
import { langsmith } from "../../src/delivery/types/langsmith.ts"
import { opik } from "../../src/delivery/types/opik.ts"
import { sentry } from "../../src/delivery/types/sentry.ts"
import { weave } from "../../src/delivery/types/weave.ts"
import { webhook } from "../../src/delivery/types/webhook.ts"
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
