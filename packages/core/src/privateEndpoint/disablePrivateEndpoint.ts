import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { printedManaged } from "./printedPrivateEndpoint.ts"
import { switchEndpoint } from "./switchEndpoint.ts"

/** Rule: models#private-endpoints. */
export const disablePrivateEndpoint = operation("disablePrivateEndpoint")(function* (
  { account_id }: Caller,
  id: string
) {
  return yield* printedManaged(account_id, yield* switchEndpoint(account_id, id, "disabled"))
})
