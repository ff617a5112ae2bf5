import type { PrivateEndpointStatus } from "@gatewarden/contract"
import { Effect, Option } from "effect"
import { Conflict, notFound } from "../value/failure.ts"
import { baseUrlOf, statusOf } from "./deployment.ts"
import { PrivateEndpoints, PrivateProviders, type StoredPrivateEndpoint } from "../ports/privateEndpoints.ts"

export interface CurrentPrivateEndpoint {
  /** As the store has it, which guards a change of it. */
  readonly stored: StoredPrivateEndpoint
  readonly status: PrivateEndpointStatus
  /** Undefined if its private provider is gone. */
  readonly address: string | undefined
}

/** The private endpoint with the address and the status that it has now, 404 without one. */
export const requirePrivateEndpoint = Effect.fnUntraced(function* (account_id: string, id: string) {
  const found = yield* (yield* PrivateEndpoints).find(account_id, id)
  if (Option.isNone(found)) return yield* notFound()
  const stored = found.value
  const provider = Option.getOrUndefined(yield* (yield* PrivateProviders).find(account_id, stored.provider_slug))
  const current: CurrentPrivateEndpoint = {
    stored,
    status: statusOf(stored, provider),
    address: baseUrlOf(stored, provider)
  }
  return current
})

/** The endpoint is in another state than the request needs. */
export const otherState = (message: string) =>
  new Conflict({
    reason: "private_endpoint_state",
    issues: [{ path: "params.id", code: "private_endpoint_state", message }]
  })

/** What an update answers: the endpoint, 404, or 409 with the message. */
export const updated = (
  outcome: StoredPrivateEndpoint | "refused" | "missing",
  message: string
): Effect.Effect<StoredPrivateEndpoint, ReturnType<typeof otherState> | ReturnType<typeof notFound>> => {
  if (outcome === "missing") return notFound()
  return outcome === "refused" ? otherState(message) : Effect.succeed(outcome)
}
