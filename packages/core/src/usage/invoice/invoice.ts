import {
  type DimensionName,
  type Invoice,
  type InvoiceBy,
  type InvoiceQuery,
  type InvoiceRow,
  type QueryOf,
  type SuccessOf,
  type getInvoice as declaration,
  maxInvoiceRows,
  usageExportTypes
} from "@gatewarden/contract/internal"
import { Clock, Effect } from "effect"
import { type Caller, reachesWorkspace } from "../../access/Caller.ts"
import { findNames } from "../../naming/findNames.ts"
import { Digest } from "../../platform/Digest.ts"
import type { AnalyticsCell, AnalyticsPlan, Key } from "../../ports/analytics.ts"
import type { NamedKind } from "../../ports/names.ts"
import { operation } from "../../tracing/operation.ts"
import { PrintedAnswer, preferredType } from "../../value/PrintedAnswer.ts"
import { joiningBytes } from "../../value/bytes.ts"
import { clockToleranceMillis } from "../../value/calendar.ts"
import { csvCell, safeCsvCell } from "../../value/text.ts"
import { BadRequest, invalid } from "../../value/failure.ts"
import { inSlices } from "../../value/inSlices.ts"
import { countAsJson, formatUsd } from "../../value/money.ts"
import { jsonBytes } from "../../value/printed.ts"
import { readInTime } from "../analytics/AnalyticsSlots.ts"
import { reachedEvents } from "../analytics/queryAnalytics.ts"

const measures = [
  "request_count",
  "tokens_prompt",
  "tokens_completion",
  "credits_usage",
  "byok_usage",
  "byok_fees"
] as const satisfies AnalyticsPlan["measures"]

type Sums = readonly [
  requests: bigint,
  prompt: bigint,
  completion: bigint,
  cost: bigint,
  byok_cost: bigint,
  fees: bigint
]

const nothing: Sums = [0n, 0n, 0n, 0n, 0n, 0n]

const dimensionOf = {
  key: "api_key_id",
  user: "user",
  workspace: "workspace"
} as const satisfies Record<Exclude<InvoiceBy, "tag">, DimensionName>

/** What the entities of rows are; users and tags have no names. */
const kindOf: Readonly<Partial<Record<InvoiceBy, NamedKind>>> = { key: "key", workspace: "workspace" }

/** Rule: usage#invoices, requests#names-beside-ids. A fixed query of analytics, over the events of the month alone. */
export const makeInvoice = Effect.fnUntraced(function* (
  account_id: string,
  query: InvoiceQuery,
  filters: AnalyticsPlan["filters"] = [],
  reaches: (workspace_id: string | null) => boolean = () => true
) {
  const { month, by, classifier, dimension } = query
  const key = keyOf(query)
  if (key === undefined)
    return yield* refuse(
      classifier === undefined ? "classifier" : "dimension",
      by === "tag" ? "Expected a classifier and a dimension with by=tag" : "Expected no tag without by=tag"
    )
  const start = Date.parse(`${month}-01T00:00:00Z`)
  const end = endOf(month)
  const result = yield* readInTime(account_id, {
    start,
    end,
    granularity: null,
    keys: [key],
    measures: [...measures],
    columns: [],
    classifier_id: classifier ?? null,
    tagFilters: [],
    filters,
    having: [],
    order: [{ by: { kind: "key", index: 0 }, descending: false }],
    group_limit: null,
    limit: maxInvoiceRows
  })
  if (result === "unknown_classifier")
    return yield* invalid(
      "unknown_classifier",
      "query.classifier",
      "No recorded event of this account carries this classifier"
    )
  if (result.truncated)
    return yield* refuse("by", `There are more than ${maxInvoiceRows} rows of ${dimension ?? by}`, "too_big")
  const kind = kindOf[by]
  const nameOf = yield* findNames(
    account_id,
    kind === undefined ? [] : result.cells.map(({ keys: [entity] }) => [kind, entity] as const),
    reaches
  )
  const { rows, total } = yield* inSlices(summed(result.cells, (entity) => nameOf(kind, entity)))
  const now = yield* Clock.currentTimeMillis
  return {
    month,
    by,
    // Clocks that are behind report events of the month for a while.
    is_final: now >= end + clockToleranceMillis,
    rows,
    total
  } satisfies Invoice
})

/** Yields between rows, because there may be a hundred thousand. */
function* summed(
  cells: readonly AnalyticsCell[],
  nameOf: (entity: string | null) => string | null
): Generator<void, Pick<Invoice, "rows" | "total">> {
  const rows: InvoiceRow[] = []
  let total = nothing
  for (const cell of cells) {
    const sums = sumsOf(cell)
    total = total.map((sum, at) => sum + (sums[at] ?? 0n)) as unknown as Sums
    const entity = cell.keys[0] ?? null
    rows.push({ entity, name: nameOf(entity), ...printSums(sums) })
    yield
  }
  return { rows, total: printSums(total) }
}

/** The start of the month after. */
const endOf = (month: string): number => {
  const [year = 1970, number = 1] = month.split("-").map(Number)
  return Date.UTC(year, number, 1)
}

const keyOf = ({ by, classifier, dimension }: InvoiceQuery): Key | undefined => {
  if (by !== "tag")
    return classifier === undefined && dimension === undefined
      ? { kind: "dimension", column: by, dimension: dimensionOf[by] }
      : undefined
  return classifier === undefined || dimension === undefined
    ? undefined
    : { kind: "tag", column: by, tag: dimension, include_nulls: true }
}

const refuse = (name: string, message: string, code = "invalid_value") =>
  new BadRequest({ reason: "invalid_request", issues: [{ path: `query.${name}`, code, message }] })

/** A component that no event has is not measured. */
const sumsOf = ({ measures }: AnalyticsCell): Sums => measures.map((sum) => BigInt(sum ?? 0)) as unknown as Sums

const printSums = ([requests, prompt, completion, cost, byok_cost, fees]: Sums) => ({
  requests: countAsJson(requests),
  prompt_tokens: countAsJson(prompt),
  completion_tokens: countAsJson(completion),
  cost_usd: formatUsd(cost),
  byok_cost_usd: formatUsd(byok_cost),
  fees_usd: formatUsd(fees)
})

const columns = [
  "month",
  "line",
  "entity",
  "requests",
  "prompt_tokens",
  "completion_tokens",
  "cost_usd",
  "byok_cost_usd",
  "fees_usd",
  "is_final",
  "name"
] as const

type Line = Readonly<Partial<Record<string, unknown>>>

/**
 * An invoice as CSV: a line for each row, and the total as the last line.
 *
 * Yields between lines, because there may be a hundred thousand.
 */
export function* invoiceCsv(
  { month, by, is_final, rows, total }: Invoice,
  isSafe: boolean
): Generator<void, readonly string[]> {
  const print = isSafe ? safeCsvCell : csvCell
  const lineOf = (sums: Line, line: string): string => {
    const fields: Line = { ...sums, month, line, is_final }
    return `${columns.map((name) => print(fields[name] == null ? "" : String(fields[name]))).join(",")}\r\n`
  }
  const lines = [`${columns.join(",")}\r\n`]
  for (const row of rows) {
    lines.push(lineOf(row, by))
    yield
  }
  lines.push(lineOf(total, "total"))
  return lines
}

const utf8 = new TextEncoder()

/** Rule: usage#invoices. Printed in slices, because an invoice may have megabytes. */
export const getInvoice = operation("getInvoice")(function* (
  caller: Caller,
  { format, csv_safe, ...query }: QueryOf<typeof declaration>,
  accept: string | undefined
) {
  const data = yield* makeInvoice(caller.account_id, query, reachedEvents(caller), (id) => reachesWorkspace(caller, id))
  const type = format === "csv" || (format === undefined && prefersCsv(accept)) ? usageExportTypes.csv : undefined
  const bytes =
    type === undefined
      ? yield* inSlices(joiningBytes(yield* inSlices(jsonBytes({ data }))))
      : utf8.encode((yield* inSlices(invoiceCsv(data, csv_safe))).join(""))
  const hash = yield* (yield* Digest).sha256Hex(bytes)
  return new PrintedAnswer<SuccessOf<typeof declaration>>(bytes, `"${hash}"`, type)
})

const prefersCsv = (accept: string | undefined): boolean =>
  preferredType(accept, [usageExportTypes.csv, "application/json"]) === usageExportTypes.csv
