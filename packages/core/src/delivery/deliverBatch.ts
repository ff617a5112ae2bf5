/**
 * Sends the requests of a batch, one after the other, and finds out what became of each event.
 *
 * Rule: observability#retries. A request that is too large or refused is divided until the event is found that the platform refuses. The
 * first failure that time may heal ends the batch. After a few events that were refused alone, with one and the same answer, what is refused
 * with it is not divided any more, until the platform accepts something: it would refuse each event.
 */
import type { DestinationType } from "@gatewarden/contract/internal"
import { Clock, Context, Effect } from "effect"
import type { DeliveryAttempt, LastAnswer, WaitingEvent } from "../ports/deliveries.ts"
import { type OpenedDestination, renderBatch } from "./renderBatch.ts"
import type { RenderedRequest } from "./rendering/Renderer.ts"
import { type SentAnswer, answerMillis, probedAnswerMillis, sendRendered } from "./sendRendered.ts"

/** What became of an event: accepted, or refused for good. */
export type Fate = "accepted" | LastAnswer

export interface BatchProgress {
  /** By id. Events without a fate were not delivered. */
  readonly fates: Map<string, Fate>
  answer: LastAnswer | undefined
  /** The failure that ended the batch. */
  failure: SentAnswer | undefined
  /** Spans that the platform left out of what it accepted. */
  rejected_spans: number
  /** How many events the platform took in one request, once it has called one too large. */
  most: number | undefined
}

export const noProgress = (): BatchProgress => ({
  fates: new Map(),
  answer: undefined,
  failure: undefined,
  rejected_spans: 0,
  most: undefined
})

const unrenderable = "The event cannot be written in the format of the platform."

/** Refused alone and alike, before a batch that is refused so, too, is not divided. */
const mostAlike = 3

/** Sends what was rendered of these events. `onProgress` is called after each request; it answers `false` to stop. */
export const deliverBatch = Effect.fnUntraced(function* <R>(
  opened: OpenedDestination,
  events: readonly WaitingEvent[],
  rendered: readonly RenderedRequest[] | "failed",
  options: {
    readonly isProbe: boolean
    readonly onProgress: (progress: BatchProgress) => Effect.Effect<boolean, never, R>
  }
) {
  const progress = noProgress()
  const timeoutMillis = options.isProbe ? probedAnswerMillis : answerMillis
  const { type } = opened.destination
  const byId = new Map(events.map((event) => [event.event.id, event]))

  /** Events that were refused alone since the platform last accepted something, as long as the answers are alike. */
  let alike: { readonly answer: LastAnswer; readonly count: number } | undefined
  const isAlike = (answer: LastAnswer): boolean =>
    alike !== undefined && alike.answer.status === answer.status && alike.answer.message === answer.message

  const bury = (some: readonly WaitingEvent[], refusal: LastAnswer): Effect.Effect<boolean, never, Needed<R>> => {
    for (const { event } of some) progress.fates.set(event.id, refusal)
    return options.onProgress(progress)
  }
  const refuse = (some: readonly WaitingEvent[], refusal: LastAnswer): Effect.Effect<boolean, never, Needed<R>> => {
    if (some.length === 1) alike = { answer: refusal, count: isAlike(refusal) ? (alike?.count ?? 0) + 1 : 1 }
    return isAlike(refusal) && (alike?.count ?? 0) >= mostAlike ? bury(some, refusal) : divide(some, refusal)
  }

  /** In the order of the batch, both halves one after the other. */
  const divide = (some: readonly WaitingEvent[], refusal: LastAnswer): Effect.Effect<boolean, never, Needed<R>> => {
    const [only, ...others] = some
    if (only === undefined) return Effect.succeed(true)
    if (others.length === 0) return bury(some, refusal)
    const half = Math.ceil(some.length / 2)
    return Effect.flatMap(deliver(some.slice(0, half)), (goesOn) =>
      goesOn ? deliver(some.slice(half)) : Effect.succeed(false)
    )
  }

  const deliver = (some: readonly WaitingEvent[]): Effect.Effect<boolean, never, Needed<R>> =>
    Effect.flatMap(renderBatch(opened, some), (requests) => sendAll(some, requests))

  const sendAll = Effect.fnUntraced(function* (
    some: readonly WaitingEvent[],
    requests: readonly RenderedRequest[] | "failed"
  ): Effect.fn.Return<boolean, never, Needed<R>> {
    if (requests === "failed") return yield* divide(some, { status: null, message: unrenderable })
    for (const request of requests) if (!(yield* send(request))) return false
    // What the renderer left out could never be sent.
    const now = yield* Clock.currentTimeMillis
    for (const one of some)
      if (!progress.fates.has(one.event.id)) {
        const message = opened.renderer.refusal?.(one, now) ?? unrenderable
        progress.fates.set(one.event.id, { status: null, message })
      }
    return true
  })

  const send = Effect.fnUntraced(function* (request: RenderedRequest): Effect.fn.Return<boolean, never, Needed<R>> {
    const answer = yield* sendRendered({
      type,
      config: opened.config,
      request,
      judge: opened.renderer.judge,
      timeoutMillis,
      connectionsOf: opened.destination.id
    })
    const { status, verdict, message } = answer
    progress.answer = { status, message: message === "" ? null : message }
    switch (verdict.kind) {
      case "retry":
        progress.failure = answer
        return false
      case "accepted":
        alike = undefined
        for (const id of request.events) progress.fates.set(id, "accepted")
        progress.rejected_spans += verdict.rejected ?? 0
        return yield* options.onProgress(progress)
      case "partly": {
        alike = undefined
        for (const id of request.events) progress.fates.set(id, "accepted")
        for (const id of verdict.refused) if (byId.has(id)) progress.fates.set(id, { status, message })
        return yield* options.onProgress(progress)
      }
      case "too_large":
        progress.most = Math.max(1, Math.floor(request.events.length / 2))
        return yield* divide(eventsOf(request), { status, message })
      case "refused":
        return yield* refuse(eventsOf(request), { status, message })
    }
  })

  const eventsOf = (request: RenderedRequest): readonly WaitingEvent[] =>
    request.events.flatMap((id) => byId.get(id) ?? [])

  yield* sendAll(events, rendered)
  return progress
})

type Needed<R> = R | Effect.Services<ReturnType<typeof renderBatch>> | Effect.Services<ReturnType<typeof sendRendered>>

/** Told of each batch that this process has sent, for whoever counts them. By default nobody does. */
export const DeliveryMeter = Context.Reference<(type: DestinationType, attempt: DeliveryAttempt) => void>(
  "gatewarden/DeliveryMeter",
  { defaultValue: () => () => {} }
)
