import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { timestamp } from "../value/timestamp.ts"
import { operation } from "../tracing/operation.ts"
import { GroupMappings, type MemberRole } from "../ports/directory.ts"
import { printedMapping } from "./printedMapping.ts"

/** Rule: scim#mappings. */
export const updateGroupMapping = operation("updateGroupMapping")(function* (
  { account_id, key_hash }: Caller,
  id: string,
  role: MemberRole
) {
  const settling = { now: yield* timestamp, spared: key_hash }
  const outcome = yield* (yield* GroupMappings).update(account_id, id, role, settling)
  return outcome === "missing" ? yield* notFound() : printedMapping(account_id, outcome.mapping)
})
