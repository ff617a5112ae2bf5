import type { PrivateEndpointPricing } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { printedPrivateEndpoint } from "./printedPrivateEndpoint.ts"
import { PrivateEndpoints } from "../ports/privateEndpoints.ts"

/** Rule: models#private-endpoints. */
export const updatePrivateEndpointPricing = operation("updatePrivateEndpointPricing")(function* (
  { account_id }: Caller,
  id: string,
  pricing: PrivateEndpointPricing
) {
  const outcome = yield* (yield* PrivateEndpoints).update(account_id, id, { pricing }, {})
  return typeof outcome === "string" ? yield* notFound() : yield* printedPrivateEndpoint(account_id, outcome)
})
