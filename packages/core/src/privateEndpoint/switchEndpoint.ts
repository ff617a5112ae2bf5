import { Effect } from "effect"
import { PrivateEndpoints } from "./PrivateEndpoints.ts"
import { updated } from "./requirePrivateEndpoint.ts"

/** Sets whether an endpoint that was activated is used. */
export const switchEndpoint = Effect.fnUntraced(function* (
  account_id: string,
  id: string,
  status: "active" | "disabled"
) {
  const outcome = yield* (yield* PrivateEndpoints).update(
    account_id,
    id,
    { status },
    { status: ["active", "disabled"] }
  )
  return yield* updated(outcome, "The endpoint is a draft: validate and activate it first")
})
