import type { RecordUsageEvents, SentUsageEvent } from "@gatewarden/contract"
import { Effect, Stream } from "effect"
import type { Caller } from "../access/Caller.ts"
import type { ValueOrLines } from "../http/Input.ts"
import { type ReportedEvent, resolveUsageEvents } from "./resolveUsageEvents.ts"
import { UsageLog } from "./UsageLog.ts"

/** Lines that are resolved and handed to the store together. */
const linesAtOnce = 1000

const withoutBodies = ({ input: _, output: __, ...event }: SentUsageEvent): ReportedEvent => event

/**
 * Records usage events, all or nothing, each id once. Source: decisions 14.
 *
 * Lines are resolved as they come, so that an import may be longer than memory; a model or key that changes meanwhile is
 * taken as it is found.
 */
export const recordUsageEvents = Effect.fn("recordUsageEvents")(function* (
  caller: Caller,
  sent: ValueOrLines<RecordUsageEvents, SentUsageEvent>
) {
  const log = yield* UsageLog
  if (sent.kind === "value") {
    const events = yield* resolveUsageEvents(
      caller,
      sent.value.events.map(withoutBodies),
      (index) => `events.${index}.`
    )
    return yield* log.record(caller.account_id, Stream.succeed(events))
  }
  const services = yield* Effect.context<Effect.Services<ReturnType<typeof resolveUsageEvents>>>()
  let first = 0
  const chunks = sent.lines.pipe(
    Stream.map(withoutBodies),
    Stream.grouped(linesAtOnce),
    Stream.mapEffect((events) => {
      const offset = first
      first += events.length
      return resolveUsageEvents(caller, events, (index) => `lines.${offset + index}.`)
    }),
    Stream.provideContext(services)
  )
  return yield* log.record(caller.account_id, chunks)
})
