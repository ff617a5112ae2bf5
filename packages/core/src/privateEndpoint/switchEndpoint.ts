import { Effect } from "effect"
import { PrivateEndpoints } from "../ports/privateEndpoints.ts"
import { otherState, requirePrivateEndpoint, updated } from "./requirePrivateEndpoint.ts"

/** Sets whether an endpoint that was activated is used. */
export const switchEndpoint = Effect.fnUntraced(function* (
  account_id: string,
  id: string,
  status: "active" | "disabled"
) {
  const isDraft = "The endpoint is a draft: validate and activate it first"
  const current = yield* requirePrivateEndpoint(account_id, id)
  // One whose provider moved is a draft until that moves back: then it must not be used.
  const { status: before } = status === "disabled" ? current.stored : current
  if (before === "draft") return yield* otherState(isDraft)
  const outcome = yield* (yield* PrivateEndpoints).update(
    account_id,
    id,
    { status },
    { status: ["active", "disabled"] }
  )
  return yield* updated(outcome, isDraft)
})
