import type { PrintedAuditEntry } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { auditExamined, type AuditFilter, AuditLog } from "../stream/AuditLog.ts"
import { sealChanges } from "../stream/sealChanges.ts"

/** A page of the caller's audit log. What is committed is sealed first, so that it is shown, and cannot be altered unnoticed any more. */
export const getAuditLog = operation("getAuditLog")(function* (
  { account_id }: Caller,
  { limit, cursor, ...filter }: AuditFilter & { readonly limit: number; readonly cursor?: string | undefined }
) {
  yield* sealChanges(account_id)
  const below = cursor === undefined ? undefined : Number(cursor)
  const { entries, next } = yield* (yield* AuditLog).list(account_id, filter, { limit, below, examined: auditExamined })
  return { data: entries as PrintedAuditEntry[], next_cursor: next === undefined ? null : String(next) }
})
