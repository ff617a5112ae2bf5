/** The expiry of a new key. Rule: authorization#codes: one that is past is 400. */
import { Clock, Effect } from "effect"
import { BadRequest } from "../value/failure.ts"

/** The instant as it is stored; `null` for a key that does not expire. */
export const readExpiry = Effect.fnUntraced(function* (sent: string | null | undefined, path: string) {
  if (sent == null) return null
  if (Date.parse(sent) > (yield* Clock.currentTimeMillis)) return sent
  return yield* new BadRequest({
    reason: "invalid_request",
    issues: [{ path, code: "past", message: "Expected an instant in the future" }]
  })
})
