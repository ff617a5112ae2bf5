import type { PutKeyRateLimits } from "@gatewarden/contract"
import { Option } from "effect"
import { PolicySources } from "../ports/policySources.ts"
import { notFound } from "../value/failure.ts"
import { sentFields } from "../value/sentFields.ts"
import { operation } from "../tracing/operation.ts"
import type { Caller } from "../access/Caller.ts"

/** Absent limits stay, `null` clears. */
export const putKeyRateLimits = operation("putKeyRateLimits")(function* (
  caller: Caller,
  hash: string,
  fields: PutKeyRateLimits
) {
  const change = sentFields(fields, ["requests_per_minute", "tokens_per_minute", "parallel_requests"], [])
  const limits = yield* (yield* PolicySources).limitRates(caller.account_id, hash, change)
  return Option.isSome(limits) ? limits.value : yield* notFound()
})
