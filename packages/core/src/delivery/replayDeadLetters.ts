import { mostReplayed, type ReplayDeadLetters } from "@gatewarden/contract"
import { Effect, Option, Redacted } from "effect"
import type { Caller } from "../access/Caller.ts"
import { Conflict, notFound } from "../value/failure.ts"
import { Destinations } from "../ports/destinations.ts"
import { requirePrompts } from "../observability/requirePrompts.ts"
import { operation } from "../tracing/operation.ts"
import { timestamp } from "../value/timestamp.ts"
import { type DeadLetter, DeadLetters, placeOfDeadBodies, type RequeuedLetter } from "../ports/deliveries.ts"
import { DeliverySignal } from "./DeliverySignal.ts"
import { openBodies, placeOfBodies, sealBodies } from "../prompt/sealBodies.ts"

/** Bodies may be large, so few letters are held at once. Each step is atomic; a request that is repeated goes on where it stopped. */
const lettersAtOnce = 20

/** The bodies are encrypted for the stream. */
const requeuedOf = Effect.fnUntraced(function* (letter: DeadLetter) {
  const { account_id, workspace_id, event_id, sealed_bodies } = letter
  const bodies = sealed_bodies === null ? undefined : yield* openBodies(sealed_bodies, placeOfDeadBodies(letter))
  const isKept = bodies !== undefined && Object.keys(Redacted.value(bodies)).length > 0
  return {
    event_id,
    sealed_bodies: isKept ? yield* sealBodies(bodies, placeOfBodies(account_id, workspace_id, event_id)) : null
  } satisfies RequeuedLetter
})

const requeue = Effect.fnUntraced(function* (account_id: string, id: string, letters: readonly DeadLetter[]) {
  const now = yield* timestamp
  return yield* (yield* DeadLetters).requeue(account_id, id, yield* Effect.forEach(letters, requeuedOf), now)
})

const replayNamed = Effect.fnUntraced(function* (account_id: string, id: string, event_ids: readonly string[]) {
  const letters = yield* DeadLetters
  let replayed = 0
  for (let from = 0; from < event_ids.length; from += lettersAtOnce) {
    const found = yield* letters.find(account_id, id, event_ids.slice(from, from + lettersAtOnce))
    if (found.length > 0) replayed += yield* requeue(account_id, id, found)
  }
  return replayed
})

const replayUntil = Effect.fnUntraced(function* (account_id: string, id: string, until: string) {
  const letters = yield* DeadLetters
  let replayed = 0
  for (let read = 0; read < mostReplayed; read += lettersAtOnce) {
    const found = yield* letters.diedUntil(account_id, id, until, Math.min(lettersAtOnce, mostReplayed - read))
    if (found.length > 0) replayed += yield* requeue(account_id, id, found)
    if (found.length < lettersAtOnce) break
  }
  return replayed
})

/** Rule: observability#replays. */
export const replayDeadLetters = operation("replayDeadLetters")(function* (
  caller: Caller,
  id: string,
  { event_ids, until }: ReplayDeadLetters
) {
  const { account_id } = caller
  const destinations = yield* Destinations
  const found = yield* destinations.find(account_id, id)
  if (Option.isNone(found)) return yield* notFound()
  if (!found.value.destination.privacy_mode) yield* requirePrompts(caller)
  // What waits for a destination that receives nothing is passed over, and would be lost.
  const receiving = yield* destinations.receiving(account_id, found.value.destination.workspace_id)
  if (!receiving.some((destination) => destination.id === found.value.destination.id))
    return yield* new Conflict({ reason: "destination_receives_nothing" })
  // Recorded before anything is sent: who stops it half way has sent what is recorded.
  if (!(yield* destinations.noteReplay(account_id, id))) return yield* notFound()
  const replayed =
    event_ids === undefined
      ? yield* replayUntil(account_id, id, until ?? "")
      : yield* replayNamed(account_id, id, event_ids)
  if (replayed > 0) (yield* DeliverySignal).wake()
  const { total_count } = yield* (yield* DeadLetters).list(account_id, id, { limit: 1, offset: 0 })
  return { replayed, remaining: total_count }
})
