import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import type { PageRequest } from "../value/Page.ts"
import { Erasures } from "../ports/erasures.ts"
import { printedErasure } from "./printedErasure.ts"

/** Rule: access#erasures, requests#lists. */
export const listErasures = operation("listErasures")(function* ({ account_id }: Caller, page: PageRequest) {
  const { data, total_count } = yield* (yield* Erasures).list(account_id, page)
  return { data: data.map(printedErasure), total_count }
})
