import type { UsageEventFilter } from "@gatewarden/contract"
import { Clock, Effect } from "effect"
import { BadRequest } from "../../value/failure.ts"
import { splitVariant } from "../../catalog/resolveModelName.ts"
import { formatInstant } from "../../value/timestamp.ts"
import { clockToleranceMillis } from "../../value/clockTolerance.ts"
import type { EventFilter } from "../../ports/usage.ts"

/** The filter that a query names. Fails with 400 for an end before the start, and for a tag without its classifier or its dimension. */
export const readEventFilter = Effect.fnUntraced(function* (query: UsageEventFilter) {
  const { start, end, model, classifier, dimension, value } = query
  if (dimension !== undefined && classifier === undefined)
    return yield* invalidFilter("dimension", "Expected a classifier that the dimension belongs to")
  if (value !== undefined && dimension === undefined)
    return yield* invalidFilter("value", "Expected a dimension whose tag is the value")
  const now = yield* Clock.currentTimeMillis
  const name = model === undefined ? undefined : splitVariant(model)
  if (start !== undefined && end !== undefined && start > end)
    return yield* invalidFilter("end", "Expected an end that is not before the start")
  const filter: EventFilter = {
    start,
    // Events of a clock that is ahead are among those that were recorded before.
    end: end ?? formatInstant(now + clockToleranceMillis + 1),
    equal: {
      workspace_id: query.workspace_id,
      api_key_hash: query.api_key_hash,
      user_id: query.user_id,
      external_user: query.external_user,
      provider: query.provider,
      app: query.app,
      session_id: query.session_id,
      status: query.status,
      ...(name === undefined ? {} : { model: name.slug }),
      ...(name === undefined || name.variant === "" ? {} : { variant: name.variant })
    },
    tag: classifier === undefined ? undefined : { classifier, dimension, value }
  }
  return filter
})

export const invalidFilter = (name: string, message: string) =>
  new BadRequest({ reason: "invalid_request", issues: [{ path: `query.${name}`, code: "invalid_value", message }] })
