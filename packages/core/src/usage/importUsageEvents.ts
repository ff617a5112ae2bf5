import type { SentUsageEvent } from "@gatewarden/contract"
import { Stream } from "effect"
import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { resolveEach } from "./resolveUsageEvents.ts"
import { UsageLog } from "../ports/usage.ts"

/**
 * Records the valid usage events, each id once, and returns the reason for every other one.
 *
 * Rule: usage#recording. As in `recordUsageEvents`, a repetition is a duplicate, whatever it contains.
 */
export const importUsageEvents = operation("importUsageEvents")(function* (
  caller: Caller,
  events: readonly SentUsageEvent[]
) {
  const log = yield* UsageLog
  const { resolved, refused } = yield* resolveEach(caller, events, Infinity)
  const suspect = refused.map(({ index }) => events[index]?.id ?? "")
  const seen = new Set(suspect.length === 0 ? [] : yield* log.recordedOf(caller.account_id, suspect))
  const recordable = resolved.map(({ event }) => event)
  if (refused.length > 0) for (const { id } of recordable) seen.add(id)
  const { accepted, duplicates } = yield* log.record(caller.account_id, Stream.succeed(recordable))
  const news = refused.filter((_, at) => !seen.has(suspect[at] ?? ""))
  return { accepted, duplicates: duplicates + refused.length - news.length, refused: news }
})
