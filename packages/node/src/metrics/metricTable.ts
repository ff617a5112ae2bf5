/**
 * Every metric of `/metrics`: one row each. The exporter records by these names and labels, and `npm run reference` documents them.
 *
 * Source: OpenTelemetry's conventions for HTTP server, HTTP client and database client metrics; Prometheus' for processes.
 */
export interface MetricRow {
  /** A counter only rises; a gauge is the value at this moment; a histogram counts durations up to each bound. */
  readonly type: "counter" | "gauge" | "histogram"
  readonly unit: string
  readonly meaning: string
  /** What each label holds. Each has few values: never an id, never what a client sent. */
  readonly labels: Readonly<Record<string, string>>
  /** Of a histogram, in its unit, ascending. */
  readonly bounds?: readonly number[]
}

/** Source: the conventions' advice for both histograms of HTTP and of databases. */
const httpBounds = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]
const databaseBounds = [0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5, 10]

const destinationType = { type: "type of the destination, such as `webhook`" }

const job = { job: "name of the background job" }

export const metricTable = {
  http_server_request_duration_seconds: {
    type: "histogram",
    unit: "seconds",
    meaning: "Time from a request to its response.",
    labels: {
      http_request_method: "method of the request",
      http_route: "declared path of the operation, such as `/api/v1/keys/:hash`; empty for an unknown path",
      http_response_status_code: "status of the response"
    },
    bounds: httpBounds
  },
  http_server_active_requests: {
    type: "gauge",
    unit: "requests",
    meaning: "Requests in flight.",
    labels: {}
  },
  http_client_request_duration_seconds: {
    type: "histogram",
    unit: "seconds",
    meaning: "Time of requests that the server sends to other services.",
    labels: { http_response_status_code: "status of the response; empty if no response arrived" },
    bounds: httpBounds
  },
  db_client_operation_duration_seconds: {
    type: "histogram",
    unit: "seconds",
    meaning: "Time of SQL statements.",
    labels: { db_operation_name: "`select`, `insert`, `update`, `delete`, `with` or `other`" },
    bounds: databaseBounds
  },
  db_client_connection_wait_time_seconds: {
    type: "histogram",
    unit: "seconds",
    meaning: "Time that statements wait for a connection. High values mean that the pool is too small.",
    labels: {},
    bounds: databaseBounds
  },
  gatewarden_usage_events_total: {
    type: "counter",
    unit: "events",
    meaning: "Usage events that were reported.",
    labels: { outcome: "`accepted` or `duplicates`" }
  },
  gatewarden_admissions_total: {
    type: "counter",
    unit: "decisions",
    meaning: "Admissions that were decided.",
    labels: {
      decision: "`allow` or `deny`",
      scope: "scope of a denial's first reason, such as `key_limit`; empty for `allow`"
    }
  },
  gatewarden_rate_limited_total: {
    type: "counter",
    unit: "requests",
    meaning: "Requests that were answered 429.",
    labels: { http_route: "declared path of the operation" }
  },
  gatewarden_background_age_seconds: {
    type: "gauge",
    unit: "seconds",
    meaning: "Time since a background job last succeeded, on any process; read every 5 s.",
    labels: job
  },
  gatewarden_background_lag_seconds: {
    type: "gauge",
    unit: "seconds",
    meaning: "Time for which a background job has been due, on any process; read every 5 s.",
    labels: job
  },
  gatewarden_background_failures: {
    type: "gauge",
    unit: "runs",
    meaning: "Runs of a background job that failed in a row, on any process; read every 5 s.",
    labels: job
  },
  gatewarden_delivery_waiting_events: {
    type: "gauge",
    unit: "events",
    meaning: "Recorded events that wait for a destination, up to 100,000, of the installation; read every 5 s.",
    labels: {}
  },
  gatewarden_delivery_oldest_seconds: {
    type: "gauge",
    unit: "seconds",
    meaning: "Time since the first of them was recorded; 0 where none waits.",
    labels: {}
  },
  gatewarden_delivery_destinations: {
    type: "gauge",
    unit: "destinations",
    meaning: "Destinations for which events wait, of the installation; read every 5 s.",
    labels: {
      ...destinationType,
      state:
        "`waiting` for all of them, `failing` for those whose last attempt failed, `open` for those whose circuit breaker is open; `refusing`: the platform refuses everything, whether events wait or not"
    }
  },
  gatewarden_delivery_attempts_total: {
    type: "counter",
    unit: "batches",
    meaning: "Batches of events that this process sent to destinations.",
    labels: {
      ...destinationType,
      outcome:
        "`delivered`; `partly`: the platform refused some of the events; `refused`: it refused all; `failed`: the rest is tried again"
    }
  },
  gatewarden_delivery_events_total: {
    type: "counter",
    unit: "events",
    meaning: "Events that platforms accepted from this process, or refused.",
    labels: { ...destinationType, outcome: "`accepted` or `refused`" }
  },
  gatewarden_build_info: {
    type: "gauge",
    unit: "1",
    meaning: "Always 1; its labels say what runs.",
    labels: { version: "version of Gatewarden", node: "version of Node" }
  },
  process_resident_memory_bytes: {
    type: "gauge",
    unit: "bytes",
    meaning: "Resident memory of the process.",
    labels: {}
  },
  nodejs_heap_size_used_bytes: { type: "gauge", unit: "bytes", meaning: "Heap in use.", labels: {} },
  process_cpu_seconds_total: {
    type: "counter",
    unit: "seconds",
    meaning: "User and system time since the start of the process.",
    labels: {}
  },
  process_start_time_seconds: {
    type: "gauge",
    unit: "seconds",
    meaning: "Start of the process, in Unix time.",
    labels: {}
  },
  nodejs_eventloop_lag_seconds: {
    type: "gauge",
    unit: "seconds",
    meaning: "Delay of the event loop since the last scrape.",
    labels: { quantile: "`0.50`, `0.90` or `0.99`" }
  }
} as const satisfies Readonly<Record<string, MetricRow>>

type Table = typeof metricTable
export type MetricName<Type extends MetricRow["type"]> = {
  [Name in keyof Table]: Table[Name]["type"] extends Type ? Name : never
}[keyof Table]

/** Every label of the row, and no other. */
type Labels<Name extends keyof Table> = { readonly [Label in keyof Table[Name]["labels"]]: string }
export type LabelsOf<Name extends keyof Table> = {} extends Labels<Name> ? [] : [labels: Labels<Name>]
