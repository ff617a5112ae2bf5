import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { activateEndpoint } from "./activateEndpoint.ts"
import { printedManaged } from "./printedPrivateEndpoint.ts"
import { requirePrivateEndpoint } from "./requirePrivateEndpoint.ts"

/** Rule: models#private-endpoints. */
export const activatePrivateEndpoint = operation("activatePrivateEndpoint")(function* (
  { account_id }: Caller,
  id: string
) {
  const active = yield* activateEndpoint(account_id, yield* requirePrivateEndpoint(account_id, id))
  return yield* printedManaged(account_id, active)
})
