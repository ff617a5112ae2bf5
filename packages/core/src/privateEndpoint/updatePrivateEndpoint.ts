import type { UpdatePrivateEndpoint } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { requireDeploymentUrl } from "./deployment.ts"
import { printedPrivateEndpoint } from "./printedPrivateEndpoint.ts"
import { PrivateEndpoints } from "../ports/privateEndpoints.ts"
import { otherState, requirePrivateEndpoint, updated } from "./requirePrivateEndpoint.ts"
import { notDraft } from "./validateEndpoint.ts"

/** Rule: models#private-endpoints. */
export const updatePrivateEndpoint = operation("updatePrivateEndpoint")(function* (
  { account_id }: Caller,
  id: string,
  { upstream_model_id, base_url, declared_region, declared_zdr }: UpdatePrivateEndpoint
) {
  const { stored: before, status } = yield* requirePrivateEndpoint(account_id, id)
  yield* requireDeploymentUrl(base_url, "base_url")
  if (status !== "draft") return yield* otherState(notDraft)
  const next = { base_url: base_url ?? before.base_url, upstream_model_id }
  const isSame = next.base_url === before.base_url && next.upstream_model_id === before.upstream_model_id
  const change = {
    ...next,
    // What was attested was attested of the former deployment.
    declared_region: declared_region === undefined ? (isSame ? before.declared_region : null) : declared_region,
    declared_zdr: declared_zdr === undefined ? (isSame ? before.declared_zdr : null) : declared_zdr,
    status,
    validated: null
  }
  const deployment = { base_url: before.base_url, upstream_model_id: before.upstream_model_id }
  const guard = { status: [before.status], deployment }
  const outcome = yield* (yield* PrivateEndpoints).update(account_id, id, change, guard)
  return yield* printedPrivateEndpoint(account_id, yield* updated(outcome, "The endpoint changed meanwhile"))
})
