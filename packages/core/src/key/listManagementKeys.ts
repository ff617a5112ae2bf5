import type { QueryOf, listManagementKeys as declaration } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { ApiKeys } from "../ports/keys.ts"
import { printedManagementKey } from "./printedManagementKey.ts"

/** The management keys of the account, expired and revoked ones too. An account has few. Rule: access#restricted-keys. */
export const listManagementKeys = operation("listManagementKeys")(function* (
  caller: Caller,
  { limit, offset }: QueryOf<typeof declaration>
) {
  const keys = yield* (yield* ApiKeys).list(caller.account_id, { kind: "management" })
  return { data: keys.slice(offset, offset + limit).map(printedManagementKey), total_count: keys.length }
})
