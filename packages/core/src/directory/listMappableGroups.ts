import type { MappableGroup } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import type { PageRequest } from "../value/Page.ts"
import { operation } from "../tracing/operation.ts"
import { DirectoryGroups } from "../ports/directory.ts"

/** Rule: requests#lists. */
export const listMappableGroups = operation("listMappableGroups")(function* (
  { account_id }: Caller,
  page: PageRequest
) {
  const { data, total_count } = yield* (yield* DirectoryGroups).list(account_id, page)
  return {
    data: data.map(({ member_count: _, ...group }): MappableGroup => ({ ...group, organization_id: account_id })),
    total_count
  }
})
