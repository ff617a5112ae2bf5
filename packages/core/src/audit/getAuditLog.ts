import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { auditExamined, type AuditFilter, AuditLog } from "../ports/changes.ts"
import { sealChanges } from "./sealChanges.ts"
import { nameEntries } from "./nameEntries.ts"

/** A page of the caller's audit log. What is committed is sealed first, so that it is shown, and cannot be altered unnoticed any more. */
export const getAuditLog = operation("getAuditLog")(function* (
  { account_id }: Caller,
  { limit, cursor, ...filter }: AuditFilter & { readonly limit: number; readonly cursor?: string | undefined }
) {
  yield* sealChanges(account_id)
  const below = cursor === undefined ? undefined : Number(cursor)
  const { entries, next } = yield* (yield* AuditLog).list(account_id, filter, { limit, below, examined: auditExamined })
  return { data: yield* nameEntries(account_id, entries), next_cursor: next === undefined ? null : String(next) }
})
