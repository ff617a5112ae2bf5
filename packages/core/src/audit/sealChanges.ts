import { Effect } from "effect"
import { AuditLog, sealBatch } from "../ports/changes.ts"

/** Seals every change that is committed, of one account or of all. Whoever reads the log calls it first, so that nothing that is shown can still be altered. */
export const sealChanges = Effect.fnUntraced(function* (account_id: string | undefined) {
  const log = yield* AuditLog
  while ((yield* log.seal(account_id)) === sealBatch);
})
