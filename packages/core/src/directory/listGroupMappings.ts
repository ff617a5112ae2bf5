import type { Caller } from "../access/Caller.ts"
import type { PageRequest } from "../value/Page.ts"
import { operation } from "../tracing/operation.ts"
import { GroupMappings } from "../ports/directory.ts"
import { printedMapping } from "./printedMapping.ts"

/** Rule: requests#lists. */
export const listGroupMappings = operation("listGroupMappings")(function* ({ account_id }: Caller, page: PageRequest) {
  const { data, total_count } = yield* (yield* GroupMappings).list(account_id, page)
  return { data: data.map((mapping) => printedMapping(account_id, mapping)), total_count }
})
