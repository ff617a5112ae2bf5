import { Effect, Option } from "effect"
import { Conflict, notFound } from "../failure.ts"
import { PrivateEndpoints, type StoredPrivateEndpoint } from "./PrivateEndpoints.ts"

/** The private endpoint, 404 without one. */
export const requirePrivateEndpoint = Effect.fnUntraced(function* (account_id: string, id: string) {
  const found = yield* (yield* PrivateEndpoints).find(account_id, id)
  return Option.isSome(found) ? found.value : yield* notFound()
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
