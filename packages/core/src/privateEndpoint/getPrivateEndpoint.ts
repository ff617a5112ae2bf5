import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { printedPrivateEndpoint } from "./printedPrivateEndpoint.ts"
import { requirePrivateEndpoint } from "./requirePrivateEndpoint.ts"

/** Rule: models#private-endpoints. */
export const getPrivateEndpoint = operation("getPrivateEndpoint")(function* ({ account_id }: Caller, id: string) {
  return yield* printedPrivateEndpoint(account_id, (yield* requirePrivateEndpoint(account_id, id)).stored)
})
