/**
 * Counts and times of an instance in Prometheus' text format, read from its spans.
 *
 * Source: OpenTelemetry's conventions for HTTP server and database client metrics. Every label has few values: a route is the
 * declared one, never the path that was sent.
 */
import { Context, Metric, type Tracer } from "effect"
import type { JobHealth } from "@gatewarden/core/effect"
import { PrometheusMetrics } from "effect/observability"
import type { SpanReader } from "../telemetry/spanTracer.ts"
import { processMetrics } from "./processMetrics.ts"

export interface Metrics {
  readonly reader: SpanReader
  /** Takes in how background work of the installation is doing. */
  readonly background: (jobs: readonly JobHealth[]) => void
  /** Everything as it stands, in the text format 0.0.4. */
  readonly text: () => string
  readonly close: () => void
}

/** Seconds. Source: the conventions' advice for both histograms of HTTP and of databases. */
const httpBounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const databaseBounds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]

type Labels = Readonly<Record<string, string>>

export const makeMetrics = (): Metrics => {
  const registry = Context.make(Metric.MetricRegistry, new Map())

  const counter = (name: string, description: string) => {
    const metric = Metric.counter(name, { description, incremental: true })
    return (amount: number, labels: Labels = {}) => Metric.withAttributes(metric, labels).updateUnsafe(amount, registry)
  }
  const gauge = (name: string, description: string) => {
    const metric = Metric.gauge(name, { description })
    return {
      set: (value: number, labels: Labels = {}) => Metric.withAttributes(metric, labels).updateUnsafe(value, registry),
      add: (change: number) => metric.modifyUnsafe(change, registry)
    }
  }
  const histogram = (name: string, boundaries: readonly number[], description: string) => {
    const metric = Metric.histogram(name, { boundaries, description })
    return (seconds: number, labels: Labels = {}) =>
      Metric.withAttributes(metric, labels).updateUnsafe(seconds, registry)
  }

  const requests = histogram("http_server_request_duration_seconds", httpBounds, "Time from a request to its answer")
  const active = gauge("http_server_active_requests", "Requests that are being worked on")
  const limited = counter("gatewarden_rate_limited_total", "Requests that were answered 429")
  const statements = histogram("db_client_operation_duration_seconds", databaseBounds, "Time of SQL statements")
  const waits = histogram("db_client_connection_wait_time_seconds", databaseBounds, "Time until a connection was free")
  const recorded = counter("gatewarden_usage_events_total", "Usage events that were reported, by outcome")
  const admissions = counter("gatewarden_admissions_total", "Admissions that were asked for, by what was decided")
  const sent = histogram("http_client_request_duration_seconds", httpBounds, "Time of requests to other services")
  const ages = gauge("gatewarden_background_age_seconds", "Seconds since a background job last succeeded")
  const lags = gauge("gatewarden_background_lag_seconds", "Seconds for which a background job has been due")
  const failures = gauge("gatewarden_background_failures", "Runs of a background job that failed in a row")
  active.set(0)
  const ofProcess = processMetrics(gauge, counter)

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
    statements(seconds, { db_operation_name: verbOf(textOf(attributes, "db.query.text")) })
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
    text: () => {
      ofProcess.read()
      return PrometheusMetrics.formatUnsafe(registry)
    },
    close: ofProcess.close
  }
}

const textOf = (attributes: ReadonlyMap<string, unknown>, name: string): string => String(attributes.get(name) ?? "")

const verbs = ["select", "insert", "update", "delete", "with"]

/** What a statement begins with, where that is one of a few words. */
const verbOf = (statement: string): string => {
  const first = /^\s*([a-z]+)/i.exec(statement)?.[1]?.toLowerCase() ?? ""
  return verbs.includes(first) ? first : "other"
}
