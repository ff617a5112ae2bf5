import type { DestinationTest } from "@gatewarden/contract"
import { Clock, Effect, Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { notFound } from "../value/failure.ts"
import { Destinations } from "../ports/destinations.ts"
import { Entropy } from "../platform/Entropy.ts"
import { operation } from "../tracing/operation.ts"
import { emptyEvent } from "./emptyEvent.ts"
import type { UsageEvent } from "../ports/usage.ts"
import { formatInstant } from "../value/timestamp.ts"
import { openDestination, type OpenedDestination, renderBatch } from "./renderBatch.ts"
import { answerMillis, type SentAnswer, sendRendered } from "./sendRendered.ts"

/** Says in each field that a platform shows that it is a test. */
const testEvent = (id: string, workspace_id: string, now: number): UsageEvent => ({
  ...emptyEvent,
  id: `gatewarden-test-${id}`,
  workspace_id,
  created_at: formatInstant(now),
  recorded_at: formatInstant(now),
  model: "gatewarden/test",
  provider: "gatewarden",
  trace: { trace_name: "Gatewarden test event", generation_name: "Gatewarden test event", is_test: true },
  self_reported: true
})

const outcomes: Readonly<Record<SentAnswer["verdict"]["kind"], DestinationTest["outcome"]>> = {
  accepted: "delivered",
  partly: "refused",
  refused: "refused",
  too_large: "refused",
  retry: "failed"
}

const notSent = (message: string): DestinationTest => ({ outcome: "failed", status: null, duration_ms: 0, message })

const sendEvent = Effect.fnUntraced(function* (opened: OpenedDestination, event: UsageEvent, begun: number) {
  const waiting = { position: "", waiting_since: begun, event, api_key_name: null, sealed_bodies: null }
  const requests = yield* renderBatch(opened, [waiting])
  const [request] = requests === "failed" ? [] : requests
  if (request === undefined) return notSent("The event cannot be written in the format of the platform.")
  const { status, verdict, message, text } = yield* sendRendered({
    type: opened.destination.type,
    config: opened.config,
    request,
    judge: opened.renderer.judge,
    timeoutMillis: answerMillis
  })
  const duration_ms = Math.max(0, Math.round((yield* Clock.currentTimeMillis) - begun))
  const outcome = outcomes[verdict.kind]
  // The test event has nothing of a user's in it, so the caller may read what the platform says of it.
  const said = outcome === "delivered" ? message : [message, text].filter((part) => part !== "").join(" ")
  return { outcome, status, duration_ms, message: said === "" ? null : said }
})

/** Rule: observability#test-events. */
export const testDestination = operation("testDestination")(function* (caller: Caller, id: string) {
  const found = yield* (yield* Destinations).find(caller.account_id, id)
  if (Option.isNone(found)) return yield* notFound()
  const opened = yield* openDestination(caller.account_id, found.value)
  if (opened === undefined) return notSent("The configuration cannot be used by this server.")
  const begun = yield* Clock.currentTimeMillis
  const event = testEvent((yield* Entropy).uuid(), opened.destination.workspace_id, begun)
  return yield* sendEvent(opened, event, begun)
})
