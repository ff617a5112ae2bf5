/**
 * The expiry of a new key.
 *
 * Rule: requests#timestamps, authorization#codes: a malformed instant, or one that is past, is 400.
 */
import { Clock, Effect } from "effect"
import { BadRequest } from "../failure.ts"
import { parseInstant } from "../value/parseInstant.ts"
import { formatInstant } from "../value/timestamp.ts"

const refused = (path: string, code: string, message: string) =>
  new BadRequest({ reason: "invalid_request", issues: [{ path, code, message }] })

/** The instant as it is stored, to the millisecond; `null` for a key that does not expire. */
export const readExpiry = Effect.fnUntraced(function* (sent: string | null | undefined, path: string) {
  if (sent == null) return null
  const millis = parseInstant(sent)
  if (millis === undefined)
    return yield* refused(path, "invalid_timestamp", "Expected a UTC timestamp with seconds: YYYY-MM-DDTHH:MM:SSZ")
  if (millis <= (yield* Clock.currentTimeMillis))
    return yield* refused(path, "past", "Expected an instant in the future")
  return formatInstant(millis)
})
