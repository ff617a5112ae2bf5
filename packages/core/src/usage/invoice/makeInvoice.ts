import { type Invoice, type InvoiceBy, type InvoiceQuery, type InvoiceRow, maxInvoiceRows } from "@gatewarden/contract"
import { Clock, Effect } from "effect"
import type { NamedKind } from "../../ports/names.ts"
import { findNames } from "../../naming/findNames.ts"
import { BadRequest, invalid } from "../../value/failure.ts"
import { inSlices } from "../../value/inSlices.ts"
import { countAsJson, formatUsd } from "../../value/money.ts"
import type { AnalyticsCell, AnalyticsPlan, Key, PlannedDimension } from "../../ports/analytics.ts"
import { readInTime } from "../analytics/readInTime.ts"
import { clockToleranceMillis } from "../../value/clockTolerance.ts"

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
} as const satisfies Record<Exclude<InvoiceBy, "tag">, PlannedDimension>

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
