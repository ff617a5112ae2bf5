import { type Issue, type RecordUsageEvents, type SentUsageEvent, maxUsageEvents } from "@gatewarden/contract/internal"
import { Effect, Result, Stream } from "effect"
import type { Caller } from "../access/Caller.ts"
import { isPrivateTag } from "../catalog/ownModels.ts"
import { DeliverySignal } from "../delivery/dispatch.ts"
import { selectDeliveries } from "../delivery/selectDeliveries.ts"
import { weighBody } from "../delivery/withoutMedia.ts"
import {
  type AccountEvents,
  type ReportedEvent,
  type SelectedEvents,
  type UsageEvent,
  UsageLog
} from "../ports/usage.ts"
import { operation } from "../tracing/operation.ts"
import { type BodyFailure, TooLarge } from "../value/failure.ts"
import { roomForBodies } from "../prompt/promptLogging.ts"
import { accountsOfEvents } from "./placesOfEvents.ts"
import { type ResolvedEvent, resolveEach, resolveUsageEvents } from "./resolveUsageEvents.ts"

type Resolving = ReturnType<typeof resolveUsageEvents>
type Selecting = ReturnType<typeof selectDeliveries>

/** An id counts once in its account. An event without a known account was never recorded. */
const placeOf = (account_id: string | undefined, { id }: ReportedEvent): string => `${account_id ?? ""} ${id}`

const recordedPlaces = Effect.fnUntraced(function* (
  events: readonly ReportedEvent[],
  accountOf: (event: ReportedEvent) => string | undefined
) {
  const log = yield* UsageLog
  const seen = new Set<string>()
  for (const account_id of new Set(events.map(accountOf))) {
    if (account_id === undefined) continue
    const ids = events.filter((event) => accountOf(event) === account_id).map(({ id }) => id)
    for (const id of yield* log.recordedOf(account_id, ids)) seen.add(`${account_id} ${id}`)
  }
  return seen
})

/** The size of a batch for the store: a thousand events, fewer if they have many tags, or a long trace or long bodies. */
const weightAtOnce = 1_000
const tagsPerWeight = 20
const charactersPerWeight = 4_096

const weightOf = ({ event: { classifiers, trace }, reported: { input, output } }: ResolvedEvent): number => {
  let tags = 0
  for (const dimensions of Object.values(classifiers ?? {})) tags += Object.keys(dimensions).length
  const hasMore = trace !== null || input !== undefined || output !== undefined
  const characters = hasMore ? weighBody([trace, input, output], weightAtOnce * charactersPerWeight) : 0
  return 1 + tags / tagsPerWeight + characters / charactersPerWeight
}

/** Splits events into batches for the store, so that serializing them does not block other requests. */
export function* inBatches(resolved: readonly ResolvedEvent[]): Generator<readonly ResolvedEvent[]> {
  let from = 0
  let weight = 0
  for (const [index, event] of resolved.entries()) {
    const own = weightOf(event)
    if (weight > 0 && weight + own > weightAtOnce) {
      yield resolved.slice(from, index)
      from = index
      weight = 0
    }
    weight += own
  }
  if (from < resolved.length) yield resolved.slice(from)
}

/** Groups the events by account, in their order. */
const byAccount = (resolved: readonly ResolvedEvent[], selected: SelectedEvents): readonly AccountEvents[] => {
  const groups = new Map<string, UsageEvent[]>()
  for (const { account_id, event } of resolved) {
    const group = groups.get(account_id)
    if (group === undefined) groups.set(account_id, [event])
    else group.push(event)
  }
  const found = selected.size === 0 ? undefined : selected
  return [...groups].map(([account_id, events]) => ({ account_id, events, selected: found }))
}

/**
 * Resolves new events. A repetition is a duplicate, whatever it contains (Rule: usage#recording): the names in it may be deleted by now.
 * Ids are looked up only if an event does not resolve, which is rare.
 */
const resolveNewEvents = Effect.fnUntraced(function* (
  caller: Caller,
  events: readonly ReportedEvent[],
  pathOf: (index: number) => string
) {
  const attempt = yield* Effect.result(resolveUsageEvents(caller, events, pathOf))
  if (Result.isSuccess(attempt)) return { resolved: attempt.success, repetitions: 0 }
  const accountOf = yield* accountsOfEvents(caller, events)
  const seen = yield* recordedPlaces(events, accountOf)
  const fresh = [...events.entries()].filter(([, event]) => {
    const place = placeOf(accountOf(event), event)
    return !seen.has(place) && seen.add(place)
  })
  const repetitions = events.length - fresh.length
  if (repetitions === 0) return yield* attempt.failure
  const resolved = yield* resolveUsageEvents(
    caller,
    fresh.map(([, event]) => event),
    (index) => pathOf(fresh[index]?.[0] ?? index)
  )
  return { resolved, repetitions }
})

/** They wait in memory until all requests of the report are recorded. */
const tooManyAdjustments: Issue = {
  path: "lines",
  code: "too_many_adjustments",
  message: `Expected at most ${maxUsageEvents} adjustments in a report: send several`
}

/** What adjusts a request is delivered nowhere. */
const isRequest = ({ event }: ResolvedEvent): boolean => event.adjusts === null

const tooManyLines = (most: number): Issue => ({
  path: `lines.${most}`,
  code: "too_many_lines",
  message: `Expected at most ${most} events in a report to this store: send several`
})

/**
 * Records usage events, all or nothing, each id once. Rule: usage#recording.
 *
 * Lines are resolved as they arrive, so that an import may exceed memory. A model or key that changes meanwhile is used as it is found.
 */
export const recordUsageEvents = operation("recordUsageEvents")(function* (
  caller: Caller,
  sent: ValueOrLines<RecordUsageEvents, SentUsageEvent>
) {
  const log = yield* UsageLog
  const signal = yield* DeliverySignal
  let repeated = 0
  const resolve = (events: readonly ReportedEvent[], pathOf: (index: number) => string) =>
    Effect.map(resolveNewEvents(caller, events, pathOf), ({ resolved, repetitions }) => {
      repeated += repetitions
      return resolved
    })
  const stretches = (resolved: readonly ResolvedEvent[]) => Stream.fromIterable(inBatches(resolved), { chunkSize: 1 })
  const services = yield* Effect.context<Effect.Services<Resolving | Selecting>>()
  const withRoom = roomForBodies(caller)
  let isAwaited = false
  const withSelected = (stretch: readonly ResolvedEvent[]) =>
    Effect.map(selectDeliveries(stretch.filter(isRequest), withRoom), (selected) => {
      if (selected.size > 0) isAwaited = true
      return byAccount(stretch, selected)
    })
  const record = <E>(chunks: Stream.Stream<readonly ResolvedEvent[], E>) =>
    log.recordAll(chunks.pipe(Stream.mapEffect(withSelected), Stream.provideContext(services))).pipe(
      Effect.tap(() => Effect.sync(() => isAwaited && signal.wake())),
      Effect.map(({ accepted, duplicates }) => ({ accepted, duplicates: duplicates + repeated })),
      Effect.tap(({ accepted, duplicates }) =>
        Effect.annotateCurrentSpan({ "gatewarden.usage.accepted": accepted, "gatewarden.usage.duplicates": duplicates })
      )
    )
  if (sent.kind === "value") {
    const events = yield* resolve(sent.value.events, (index) => `events.${index}.`)
    return yield* record(stretches(events))
  }
  let first = 0
  let adjusting = 0
  const { mostOfReport: most = Infinity } = log
  const chunks = sent.lines.pipe(
    Stream.mapEffect((events) => {
      const offset = first
      first += events.length
      adjusting += events.filter(({ adjusts }) => adjusts != null).length
      const issue = first > most ? tooManyLines(most) : adjusting > maxUsageEvents ? tooManyAdjustments : undefined
      return Effect.andThen(
        issue === undefined ? Effect.void : new TooLarge({ reason: "payload_too_large", issues: [issue] }),
        resolve(events, (index) => `lines.${offset + index}.`)
      )
    }),
    Stream.flatMap(stretches),
    Stream.provideContext(services)
  )
  return yield* record(chunks)
})

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

/** A body that is one JSON value, or many lines in groups, each line checked separately. The groups count as in flight until they are recorded. */
export type ValueOrLines<Value, Line> =
  | { readonly kind: "value"; readonly value: Value }
  | { readonly kind: "lines"; readonly lines: Stream.Stream<readonly Line[], BodyFailure> }

/**
 * Whether rankings and datasets, which all accounts see, count an event (Rule: usage#public-statistics): the operator's side recorded it, and
 * no account's own deployment served it.
 */
export const isPublicUsage = ({
  self_reported,
  endpoint_tag
}: Pick<UsageEvent, "self_reported" | "endpoint_tag">): boolean => !self_reported && !isPrivateTag(endpoint_tag)
