import type { UpdateFederationPolicy } from "@gatewarden/contract"
import { Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import { timestamp } from "../value/timestamp.ts"
import { checkPolicy } from "./checkPolicy.ts"
import { FederationPolicies, federationPolicyChange } from "../ports/federationPolicies.ts"

/**
 * Rule: authorization#federation-policies, requests#patches. Of two updates at once each is checked with what the other found; a policy
 * that together they opened to all subjects accepts no token (`meetsPolicy`).
 */
export const updateFederationPolicy = operation("updateFederationPolicy")(function* (
  caller: Caller,
  id: string,
  fields: UpdateFederationPolicy
) {
  const policies = yield* FederationPolicies
  const found = yield* policies.find(caller.account_id, id)
  if (Option.isNone(found)) return yield* notFound()
  const change = federationPolicyChange(fields)
  yield* checkPolicy({ ...found.value, ...change })
  const updated = yield* policies.update(caller.account_id, id, change, yield* timestamp)
  return Option.isSome(updated) ? updated.value : yield* notFound()
})
