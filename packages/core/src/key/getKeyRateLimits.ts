import { Option } from "effect"
import { PolicySources } from "../ports/policySources.ts"
import { notFound } from "../value/failure.ts"
import { operation } from "../tracing/operation.ts"
import type { Caller } from "../access/Caller.ts"
import { noKeyRateLimits } from "./noKeyRateLimits.ts"

/** Of an API key: management keys are not used for inference. */
export const getKeyRateLimits = operation("getKeyRateLimits")(function* (caller: Caller, hash: string) {
  const found = yield* (yield* PolicySources).of(caller.account_id, hash)
  if (Option.isNone(found) || found.value.key.kind !== "normal") return yield* notFound()
  return found.value.rate_limits ?? noKeyRateLimits
})
