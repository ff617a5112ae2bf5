import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { GroupMappings } from "../ports/directory.ts"
import { printedMapping } from "./printedMapping.ts"

/** Rule: scim#mappings. */
export const getGroupMapping = operation("getGroupMapping")(function* ({ account_id }: Caller, id: string) {
  const mapping = yield* (yield* GroupMappings).find(account_id, id)
  return Option.isNone(mapping) ? yield* notFound() : printedMapping(account_id, mapping.value)
})
