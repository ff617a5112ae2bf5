import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { FederationPolicies } from "../ports/federationPolicies.ts"

/** Rule: authorization#federation-policies. */
export const getFederationPolicy = operation("getFederationPolicy")(function* (caller: Caller, id: string) {
  const found = yield* (yield* FederationPolicies).find(caller.account_id, id)
  return Option.isSome(found) ? found.value : yield* notFound()
})
