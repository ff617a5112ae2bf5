import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { FederationPolicies } from "../ports/federationPolicies.ts"

/** Rule: authorization#federation-policies. */
export const deleteFederationPolicy = operation("deleteFederationPolicy")(function* (caller: Caller, id: string) {
  const isRemoved = yield* (yield* FederationPolicies).remove(caller.account_id, id)
  return isRemoved ? { deleted: true as const } : yield* notFound()
})
