import type { RecordUsageEvents, SentUsageEvent } from "@gatewarden/contract"
import { Effect, Result, Stream } from "effect"
import type { Caller } from "../access/Caller.ts"
import type { ValueOrLines } from "../http/Input.ts"
import { operation } from "../tracing/operation.ts"
import type { UsageEvent } from "./UsageEvent.ts"
import { type ReportedEvent, resolveUsageEvents } from "./resolveUsageEvents.ts"
import { UsageLog } from "./UsageLog.ts"

/** Lines that are resolved and handed to the store together. */
const linesAtOnce = 1000

const withoutBodies = ({ input: _, output: __, ...event }: SentUsageEvent): ReportedEvent => event

type Resolving = ReturnType<typeof resolveUsageEvents>

/**
 * Resolves what is new. A repetition is a duplicate whatever it says (decisions 14): what it names may since be gone. Events
 * are looked up only when one does not resolve, which is rare.
 */
const resolveNewEvents = Effect.fnUntraced(function* (
  caller: Caller,
  events: readonly ReportedEvent[],
  pathOf: (index: number) => string
) {
  const attempt = yield* Effect.result(resolveUsageEvents(caller, events, pathOf))
  if (Result.isSuccess(attempt)) return { resolved: attempt.success, repetitions: 0 }
  const ids = events.map(({ id }) => id)
  const seen = new Set(yield* (yield* UsageLog).recordedOf(caller.account_id, ids))
  const fresh = [...events.entries()].filter(([, { id }]) => !seen.has(id) && seen.add(id))
  const repetitions = events.length - fresh.length
  if (repetitions === 0) return yield* attempt.failure
  const resolved = yield* resolveUsageEvents(
    caller,
    fresh.map(([, event]) => event),
    (index) => pathOf(fresh[index]?.[0] ?? index)
  )
  return { resolved, repetitions }
})

/**
 * Records usage events, all or nothing, each id once. Source: decisions 14.
 *
 * Lines are resolved as they come, so that an import may be longer than memory; a model or key that changes meanwhile is
 * taken as it is found.
 */
export const recordUsageEvents = operation("recordUsageEvents")(function* (
  caller: Caller,
  sent: ValueOrLines<RecordUsageEvents, SentUsageEvent>
) {
  const log = yield* UsageLog
  let repeated = 0
  const resolve = (events: readonly ReportedEvent[], pathOf: (index: number) => string) =>
    Effect.map(resolveNewEvents(caller, events, pathOf), ({ resolved, repetitions }) => {
      repeated += repetitions
      return resolved
    })
  const record = <E>(chunks: Stream.Stream<readonly UsageEvent[], E>) =>
    log.record(caller.account_id, chunks).pipe(
      Effect.map(({ accepted, duplicates }) => ({ accepted, duplicates: duplicates + repeated })),
      Effect.tap(({ accepted, duplicates }) =>
        Effect.annotateCurrentSpan({ "gatewarden.usage.accepted": accepted, "gatewarden.usage.duplicates": duplicates })
      )
    )
  if (sent.kind === "value") {
    const events = yield* resolve(sent.value.events.map(withoutBodies), (index) => `events.${index}.`)
    return yield* record(Stream.succeed(events))
  }
  const services = yield* Effect.context<Effect.Services<Resolving>>()
  let first = 0
  const chunks = sent.lines.pipe(
    Stream.map(withoutBodies),
    Stream.grouped(linesAtOnce),
    Stream.mapEffect((events) => {
      const offset = first
      first += events.length
      return resolve(events, (index) => `lines.${offset + index}.`)
    }),
    Stream.provideContext(services)
  )
  return yield* record(chunks)
})
