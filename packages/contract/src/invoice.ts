/**
 * What the usage of a month comes to, by whom it is charged to.
 *
 * Rule: usage#invoices.
 */
import * as z from "zod"
import { operation } from "./operation.ts"
import { csvSafe, dataOf, text } from "./primitives.ts"

/** Descriptions of fields that several schemas here have. */
const about = {
  by: "Entity of each row: an API key, a user, a workspace, or the value of a tag."
} as const

export const InvoiceBy = z.enum(["key", "user", "workspace", "tag"])
export type InvoiceBy = z.output<typeof InvoiceBy>

/** Rows of the longest invoice. */
export const maxInvoiceRows = 100_000

/** A number up to 2^53 − 1, a decimal text beyond. */
const count = z.union([z.int(), z.string()])
const usd = z.string().describe("Exact, a decimal text in USD.")

const sums = {
  requests: count.describe("Number of requests, whatever their status."),
  prompt_tokens: count.describe("Number of prompt tokens."),
  completion_tokens: count.describe("Number of completion tokens, including reasoning."),
  cost_usd: usd.describe("USD that was charged, as an exact decimal string: the sum of `cost_usd`."),
  byok_cost_usd: usd.describe(
    "USD that providers charged the account's own credentials, as an exact decimal string: the sum of `byok_cost_usd`."
  ),
  fees_usd: usd.describe(
    "Part of `cost_usd` that is the fee for BYOK requests, as an exact decimal string: the sum of the component `byok_fees`."
  )
}

export const InvoiceRow = z
  .object({
    entity: z
      .string()
      .nullable()
      .describe("Hash of the key, id of the user or the workspace, or value of the tag. `null`: usage without one."),
    name: z
      .string()
      .nullable()
      .describe(
        "Present name of the key or the workspace. `null`: a user or a tag has none, it is unknown or deleted, or the calling key does not reach its workspace."
      ),
    ...sums
  })
  .meta({ id: "InvoiceRow", description: "Sums of one entity in the month." })
export type InvoiceRow = z.output<typeof InvoiceRow>

export const Invoice = z
  .object({
    month: z.string().describe("Calendar month of the invoice in UTC, such as `2026-03`."),
    by: InvoiceBy.describe(about.by),
    is_final: z.boolean().describe("Whether the month is over. Usage that is reported later still counts in it."),
    rows: z.array(InvoiceRow).describe("Sums for each entity."),
    total: z.object(sums).describe("Sums over all rows.")
  })
  .meta({ id: "Invoice", description: "Usage of a calendar month, summed for each key, user, workspace or tag." })
export type Invoice = z.output<typeof Invoice>

export const invoiceQuery = z.object({
  month: z
    .string("Expected a month such as 2026-03")
    .regex(/^(?:19[7-9]|2\d\d)\d-(?:0[1-9]|1[0-2])$/, "Expected a month such as 2026-03")
    .describe("Calendar month of `created_at` in UTC, such as `2026-03`."),
  by: InvoiceBy.describe(about.by),
  classifier: text(1, 256).optional().describe("Classifier of the tag, with `by=tag`."),
  dimension: text(1, 256).optional().describe("Dimension of the tag, with `by=tag`.")
})
export type InvoiceQuery = z.output<typeof invoiceQuery>

const example = {
  requests: 1,
  prompt_tokens: 1200,
  completion_tokens: 340,
  cost_usd: "0.0087",
  byok_cost_usd: "0",
  fees_usd: "0"
}

export const getInvoice = operation({
  id: "getInvoice",
  method: "GET",
  path: "/gateway/invoices",
  tag: "Gateway",
  changes: "nothing",
  summary: "What a month comes to by key, user, workspace or tag",
  description:
    "The usage of the account whose `created_at` lies in the month, as JSON or CSV: by `format`, otherwise by `Accept`. Each event is in one row, so the rows come to the total, exactly. A row of `null` has what names no key, user or tag. CSV has the total as its last line. More than 100,000 rows are 400, and a query that takes too long is 408.",
  access: "managementKey",
  workspaceOf: "reached",
  query: invoiceQuery.extend({
    format: z
      .enum(["json", "csv"])
      .optional()
      .describe("Format of the answer. Default: `json`, or `csv` if `Accept` prefers `text/csv`."),
    csv_safe: csvSafe
  }),
  success: { schema: dataOf(Invoice), etag: true, textType: "text/csv" },
  errors: [400, 401, 403, 408, 500],
  example: {
    query: { month: "2026-03", by: "user" },
    response: {
      data: {
        month: "2026-03",
        by: "user",
        is_final: false,
        rows: [{ entity: null, name: null, ...example }],
        total: example
      }
    }
  }
})
