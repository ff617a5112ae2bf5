/**
 * Counts and times of an instance in Prometheus' text format, read from its spans. What there is: `metricTable.ts`.
 */
import { Context, Metric, type Tracer } from "effect"
import { type DestinationType, destinationTypes } from "@gatewarden/contract/internal"
import type { DeliveryHealth, JobHealth, DeliveryAttempt } from "@gatewarden/core/internal"
import { PrometheusMetrics } from "effect/observability"
import type { SpanReader } from "../telemetry/spanTracer.ts"
import { makeInstruments } from "./makeInstruments.ts"
import { processMetrics } from "./processMetrics.ts"

export interface Metrics {
  readonly reader: SpanReader
  /** Takes in how background work of the installation is doing. */
  readonly background: (jobs: readonly JobHealth[]) => void
  /** Takes in what waits for destinations. */
  readonly deliveries: (health: DeliveryHealth) => void
  /** Counts a batch that this process has sent. */
  readonly delivered: (type: DestinationType, attempt: DeliveryAttempt) => void
  /** Everything as it stands, in the text format 0.0.4. */
  readonly text: () => string
  readonly close: () => void
}

export const makeMetrics = (): Metrics => {
  const registry = Context.make(Metric.MetricRegistry, new Map())

  const instruments = makeInstruments(registry)
  const { counter, gauge, histogram } = instruments

  const requests = histogram("http_server_request_duration_seconds")
  const active = gauge("http_server_active_requests")
  const limited = counter("gatewarden_rate_limited_total")
  const statements = histogram("db_client_operation_duration_seconds")
  const waits = histogram("db_client_connection_wait_time_seconds")
  const recorded = counter("gatewarden_usage_events_total")
  const admissions = counter("gatewarden_admissions_total")
  const sent = histogram("http_client_request_duration_seconds")
  const ages = gauge("gatewarden_background_age_seconds")
  const lags = gauge("gatewarden_background_lag_seconds")
  const failures = gauge("gatewarden_background_failures")
  const waiting = gauge("gatewarden_delivery_waiting_events")
  const oldest = gauge("gatewarden_delivery_oldest_seconds")
  const destinations = gauge("gatewarden_delivery_destinations")
  const attempts = counter("gatewarden_delivery_attempts_total")
  const events = counter("gatewarden_delivery_events_total")
  active.set(0)
  const ofProcess = processMetrics(instruments)

  const ofRequest = ({ attributes }: Tracer.Span, seconds: number): void => {
    const route = { http_route: textOf(attributes, "http.route") }
    const status = textOf(attributes, "http.response.status_code")
    requests(seconds, {
      http_request_method: textOf(attributes, "http.request.method"),
      ...route,
      http_response_status_code: status
    })
    if (status === "429") limited(1, route)
  }
  const ofStatement = ({ attributes }: Tracer.Span, seconds: number): void => {
    statements(seconds, { db_operation_name: verbOf(attributes) })
    const wait = attributes.get("db.client.connection.wait_time_ms")
    if (typeof wait === "number") waits(wait / 1000)
  }

  return {
    reader: {
      started: ({ kind }) => {
        if (kind === "server") active.add(1)
      },
      ended: (span, nanos) => {
        const seconds = Number(nanos) / 1e9
        if (span.kind === "server") {
          active.add(-1)
          ofRequest(span, seconds)
        } else if (span.attributes.has("db.query.text")) ofStatement(span, seconds)
        else if (span.kind === "client")
          sent(seconds, { http_response_status_code: textOf(span.attributes, "http.response.status_code") })
        if (span.attributes.has("gatewarden.admission.decision"))
          admissions(1, {
            decision: textOf(span.attributes, "gatewarden.admission.decision"),
            scope: textOf(span.attributes, "gatewarden.admission.scope")
          })
        for (const outcome of ["accepted", "duplicates"]) {
          const count = span.attributes.get(`gatewarden.usage.${outcome}`)
          if (typeof count === "number" && count > 0) recorded(count, { outcome })
        }
      }
    },
    background: (jobs) => {
      for (const { job, age_seconds, lag_seconds, failures: failed } of jobs) {
        if (age_seconds !== null) ages.set(age_seconds, { job })
        lags.set(lag_seconds, { job })
        failures.set(failed, { job })
      }
    },
    deliveries: (health) => {
      waiting.set(health.waiting_events)
      oldest.set(health.oldest_seconds ?? 0)
      // Types for which nothing waits any more are 0.
      for (const { type } of destinationTypes) {
        const found = health.destinations.find((one) => one.type === type)
        for (const state of ["waiting", "failing", "open", "refusing"] as const)
          destinations.set(found?.[state] ?? 0, { type, state })
      }
    },
    delivered: (type, { outcome, accepted, refused }) => {
      attempts(1, { type, outcome })
      for (const [name, count] of [
        ["accepted", accepted],
        ["refused", refused]
      ] as const)
        if (count > 0) events(count, { type, outcome: name })
    },
    text: () => {
      ofProcess.read()
      return PrometheusMetrics.formatUnsafe(registry)
    },
    close: ofProcess.close
  }
}

const textOf = (attributes: ReadonlyMap<string, unknown>, name: string): string => String(attributes.get(name) ?? "")

const verbs = ["select", "insert", "update", "delete", "with"]

/** What a statement begins with, where that is one of a few words; the store tells it of a write that also names its actor. */
const verbOf = (attributes: ReadonlyMap<string, unknown>): string => {
  const first =
    textOf(attributes, "db.operation.name") ||
    (/^\s*([a-z]+)/i.exec(textOf(attributes, "db.query.text"))?.[1]?.toLowerCase() ?? "")
  return verbs.includes(first) ? first : "other"
}
