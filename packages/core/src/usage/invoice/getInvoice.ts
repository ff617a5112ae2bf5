import { type getInvoice as declaration, type QueryOf, type SuccessOf, usageExportTypes } from "@gatewarden/contract"
import type { Caller } from "../../access/Caller.ts"
import { reachesWorkspace } from "../../access/restrictions.ts"
import { Digest } from "../../platform/Digest.ts"
import { operation } from "../../tracing/operation.ts"
import { inSlices } from "../../value/inSlices.ts"
import { joiningBytes } from "../../value/joinBytes.ts"
import { jsonBytes } from "../../value/jsonPieces.ts"
import { preferredType } from "../../value/preferredType.ts"
import { PrintedAnswer } from "../../value/PrintedAnswer.ts"
import { reachedEvents } from "../analytics/reachedEvents.ts"
import { invoiceCsv } from "./invoiceCsv.ts"
import { makeInvoice } from "./makeInvoice.ts"

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
