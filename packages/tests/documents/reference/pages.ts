/**
 * The pages of `docs/reference`, written from the tables that the code runs on.
 *
 * `npm run reference` writes them; a test holds them to the tables.
 */
import {
  analyticsDimensions,
  analyticsGranularities,
  analyticsMetrics,
  analyticsOperators,
  budgetIntervals,
  contentFilterBuiltins,
  destinationTypes,
  errorMessages,
  metricAliases,
  operations,
  type OperationShape,
  type ReasonRow,
  reasons
} from "@gatewarden/contract/internal"
import { defaultStorageLimits, variableOf, type Metric, metrics, type Total } from "@gatewarden/core/internal"
import { storageQuotas } from "../../../core/src/ports/storageQuotas.ts"
import * as z from "zod"
import { rateLimitTable } from "../../../core/src/limits/rateLimits.ts"
import { type MetricRow, metricTable } from "../../../node/src/metrics/metricTable.ts"
import { type Variable, variables } from "../../../node/src/config/variables.ts"
import { checkedFormats } from "./checkedFormats.ts"
import { commands } from "./commands.ts"
import { compatibility } from "./compatibility.ts"
import { type Cells, code, page, table } from "./markdown.ts"
import { methods } from "./methods.ts"
import { permissions } from "./permissions.ts"

const grouped = (count: number): string => count.toLocaleString("en-US")

/** Links to the reasons of a status. */
const reasonsOf = (status: number): string =>
  Object.entries(reasons)
    .filter(([, { statuses }]) => statuses.some((each) => each === status))
    .map(([name]) => `[${code(name)}](#${name})`)
    .join(", ")

const errors = (): string =>
  page(
    "Errors",
    "Every error has a status with a fixed message, and a reason in `error.metadata.reason`. The `error` of a [denial](../rules/admissions.md#denials), which a data plane answers, has a reason and a text of its own. The rules: [errors](../rules/errors.md).",
    table(
      ["status", "`error.message`", "reasons"],
      Object.entries(errorMessages).map(([status, message]) => [status, message, reasonsOf(Number(status))])
    ),
    ...Object.entries(reasons).map(
      ([name, { statuses, means, remedy, call }]: [string, ReasonRow]) =>
        `## ${name}\n\nStatus ${statuses.join(", ")}. ${means}\n\n${remedy}${call === undefined ? "" : `\n\n\`\`\`text\n${call}\n\`\`\``}`
    )
  )

/** What is tried and what applies when nothing is given; a secret has no default. */
const variableRow = ([name, row]: readonly [string, Variable]): Cells => [
  code(name),
  row.default === undefined ? "unset" : code(row.default),
  `${row.expected}${row.secret === true ? `; also from the file that ${code(`${name}_FILE`)} names` : ""}`,
  row.meaning
]

const variablesPage = (): string =>
  page(
    "Variables",
    "Every environment variable that the server and the command line read. An empty variable is unset. `npx gatewarden config print` shows each value and where it comes from. The rule: [variables](../rules/operating.md#variables).",
    table(["variable", "default", "expected", "meaning"], Object.entries(variables).map(variableRow))
  )

const aliasesOf = (name: string): string =>
  Object.entries(metricAliases)
    .filter(([, target]) => target === name)
    .map(([alias]) => code(alias))
    .join(", ")

const totalOf = (total: Total): string =>
  "count" in total
    ? total.count === "events"
      ? "events"
      : `events with ${code(total.count)}`
    : "sum" in total
      ? `sum of ${total.sum.map((field) => code(field.replace("_nanos", "_usd"))).join(" and ")}`
      : `sum of ${code(`cost_components.${total.component}`)}`

/** What a metric is computed from: fields of usage events. */
const computedFrom = (metric: Metric): string =>
  "total" in metric
    ? totalOf(metric.total)
    : "part" in metric
      ? `${totalOf(metric.part)} / ${totalOf(metric.whole)}`
      : "mean" in metric
        ? `mean of ${code(metric.mean)}`
        : `${metric.percentile}th percentile of ${code(metric.of)}`

const analytics = (): string =>
  page(
    "Metrics and dimensions",
    "What `POST /analytics/query` takes. The rules: [analytics](../rules/analytics.md). Who reports a usage event decides what its `cost_components` mean; throughput is completion tokens a second of `generation_ms`.",
    "## Metrics",
    table(
      ["metric", "label", "format", "computed from usage events", "also called"],
      analyticsMetrics.map(({ name, display_label, display_format }) => [
        code(name),
        display_label,
        display_format,
        computedFrom(metrics[name]),
        aliasesOf(name)
      ])
    ),
    "## Dimensions",
    table(
      ["dimension", "label"],
      analyticsDimensions.map(({ name, display_label }) => [code(name), display_label])
    ),
    "## Operators",
    table(
      ["operator", "value"],
      analyticsOperators.map(({ name, value_type }) => [code(name), value_type])
    ),
    "## Granularities",
    table(
      ["granularity", "time column"],
      analyticsGranularities.map(({ name }) => [code(name), code(`date__${name}`)])
    )
  )

interface Field {
  readonly default?: unknown
  readonly enum?: readonly unknown[]
}

const destinationFields = (type: (typeof destinationTypes)[number]): readonly Cells[] => {
  const { properties = {}, required = [] } = z.toJSONSchema(type.config, { io: "input", unrepresentable: "any" }) as {
    readonly properties?: Readonly<Record<string, Field>>
    readonly required?: readonly string[]
  }
  const secrets: Readonly<Record<string, string | undefined>> = type.secrets
  return Object.entries(properties)
    .filter(([name]) => name !== "headers")
    .map(([name, field]) => [
      code(name),
      required.includes(name) ? "yes" : "",
      field.default === undefined ? "" : code(String(field.default)),
      (field.enum ?? []).map((value) => code(String(value))).join(", "),
      secrets[name] ?? ""
    ])
}

/** What the format was checked against, and what the platform does not show of an event. */
const checkedFormat = (type: (typeof destinationTypes)[number]["type"]): string => {
  const { sources, notShown } = checkedFormats[type]
  const against = table(
    ["format checked against", "version", "files"],
    sources.map(({ of, version, files = [] }) => [of, version, files.map(code).join(", ")])
  )
  return notShown.length === 0
    ? against
    : `${against}\n\nNot shown:\n\n${notShown.map((item) => `- ${item}`).join("\n")}`
}

const destinations = (): string =>
  page(
    "Destination types",
    "The `config` of each type of observability destination, what its format was checked against, and what the platform does not show. Every config may also have `headers`, an object of strings, whose values are secret. The rules: [observability](../rules/observability.md).",
    ...destinationTypes.flatMap((type) => [
      `## ${type.type}`,
      table(["field", "required", "default", "values", "secret, shown as"], destinationFields(type)),
      checkedFormat(type.type)
    ])
  )

const shapes: readonly OperationShape[] = operations

/** Operations by what their body may hold, the largest first. */
const bodyRows = (): readonly Cells[] => {
  const sizes = new Map<string, { readonly kind: string; readonly maxBytes: number; readonly ids: string[] }>()
  for (const { id, body } of shapes) {
    if (body === undefined) continue
    const key = `${body.kind}/${body.maxBytes}`
    const size = sizes.get(key) ?? { kind: body.kind, maxBytes: body.maxBytes, ids: [] }
    size.ids.push(code(id))
    sizes.set(key, size)
  }
  return [...sizes.values()]
    .sort((a, b) => b.maxBytes - a.maxBytes)
    .map(({ kind, maxBytes, ids }) => [bodyKinds[kind] ?? kind, grouped(maxBytes), ids.join(", ")])
}

const bodyKinds: Readonly<Record<string, string>> = {
  json: "JSON",
  jsonOrLines: "JSON; NDJSON has no cap",
  file: "file"
}

const limits = (): string =>
  page(
    "Limits",
    "## Rates",
    "A request beyond a limit is answered 429. The rule: [rate limits](../rules/requests.md#rate-limits).",
    table(
      ["operations", "requests", "in", "per"],
      Object.entries(rateLimitTable).flatMap(([name, rows]) =>
        rows.map(({ limit, per, window }) => [
          shapes
            .filter(({ rateLimits }) => rateLimits?.includes(name))
            .map(({ id }) => code(id))
            .join(", "),
          grouped(limit),
          window.kind === "sliding" ? `any ${window.seconds} s` : "a UTC day",
          per
        ])
      )
    ),
    "## Storage",
    "A write beyond a quota is refused with 400 `quota_exceeded`; usage is recorded without the bodies that have no room. The rule: [storage quotas](../rules/operating.md#storage-quotas).",
    table(
      ["quota", "default", "variable"],
      [
        ...Object.entries(storageQuotas).map(([name, { things, owner }]) => ({
          name,
          what: `${things} of one ${owner}`
        })),
        { name: "directory_memberships_per_account", what: "memberships that mappings of one account give" },
        { name: "versions_per_preset", what: "versions of one preset" }
      ].map(({ name, what }) => [
        what,
        grouped(defaultStorageLimits[name as keyof typeof defaultStorageLimits]),
        code(variableOf(name as keyof typeof defaultStorageLimits))
      ])
    ),
    "## Intervals of budgets",
    "How long a budget lasts before it starts again. The rule: [windows](../rules/money.md#windows).",
    table(
      ["interval", "starts again"],
      budgetIntervals.map(({ name, unit }) => [
        code(name),
        unit === null ? "never" : `with each ${unit} of the UTC calendar`
      ])
    ),
    "## Bodies",
    "A larger body is answered 413. The rules: [body sizes](../rules/requests.md#body-sizes), [bodies in flight](../rules/requests.md#bodies-in-flight).",
    table(["body", "bytes", "operations"], bodyRows())
  )

const metricsPage = (): string => {
  const rows: readonly (readonly [string, MetricRow])[] = Object.entries(metricTable)
  return page(
    "Prometheus metrics",
    "What `/metrics` serves, in Prometheus' text format. How to expose it: [observing](../operating/observing.md#metrics).",
    table(
      ["metric", "type", "unit", "meaning", "labels"],
      rows.map(([name, { type, unit, meaning, labels }]) => [
        code(name),
        type,
        unit,
        meaning,
        Object.entries(labels)
          .map(([label, values]) => `${code(label)}: ${values}`)
          .join("; ")
      ])
    ),
    "## Bounds of histograms",
    "A histogram `NAME` is served as `NAME_bucket` with the label `le`, `NAME_sum` and `NAME_count`.",
    table(
      ["metric", "upper bounds of buckets"],
      rows.flatMap(([name, { bounds }]) => (bounds === undefined ? [] : [[code(name), [...bounds, "+Inf"].join(", ")]]))
    )
  )
}

const contentFilters = (): string =>
  page(
    "Content filters",
    "Builtins of content filters. The rules: [content filters](../rules/content-filters.md). How often each is right: [measured rates](../content-filters.md#how-often-they-are-right).",
    table(
      ["slug", "finds", "placeholder"],
      Object.entries(contentFilterBuiltins).map(([slug, { finds, label }]) => [code(slug), finds, code(label)])
    )
  )

/** By file name below `docs/reference`. */
export const referencePages: Readonly<Record<string, () => string>> = {
  "errors.md": errors,
  "variables.md": variablesPage,
  "analytics.md": analytics,
  "destinations.md": destinations,
  "limits.md": limits,
  "metrics.md": metricsPage,
  "content-filters.md": contentFilters,
  "commands.md": commands,
  "compatibility.md": compatibility,
  "permissions.md": permissions,
  "methods.md": methods
}
