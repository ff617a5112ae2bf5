/** Makes dead letters of a destination as a dispatcher does, for cases that call the API. */
import { Vault, DeliveryQueue, contextOfDeadBodies } from "@gatewarden/core/internal"
import { Effect, Option, Redacted } from "effect"
import type { World } from "../World.ts"
import { readableStream } from "./readableStream.ts"

/** Bodies of every dead letter that is made. */
export const deadBodies = { input: "what became of it?" }

const eventBodies = (ids: readonly string[]) =>
  ids.map((id) => ({
    ...{ id, created_at: "2026-03-04T11:00:00.000Z", model: "acme/sonnet", provider: "acme" },
    ...{ prompt_tokens: 1, completion_tokens: 1, cost_usd: "0" }
  }))

/** A destination that nobody reaches. */
export const newUnreachable = async (world: World, fields: Record<string, unknown> = {}): Promise<string> => {
  const config = { url: "https://destination.invalid/hook", headers: { authorization: "Bearer 0123456789abcdefghij" } }
  const made = await world.call("createDestination", { body: { type: "webhook", config, ...fields } })
  return made.json.data.id
}

/** Records events for the destination, which refuses all of them. */
export const letDie = async (world: World, destination_id: string, ids: readonly string[]): Promise<void> => {
  await world.call("recordUsageEvents", {
    key: world.managementKey,
    body: { events: eventBodies(ids).map((event) => ({ ...event, workspace_id: world.workspace_id })) }
  })
  await world.installation.run(
    Effect.gen(function* () {
      yield* readableStream
      const queue = yield* DeliveryQueue
      const vault = yield* Vault
      // A lease of no time is free for others at once.
      const turns = yield* queue.claim({ closed: { most: 1_000 }, open: { most: 1_000 } }, 0)
      const turn = turns.find((one) => one.destination_id === destination_id)
      if (turn === undefined) return yield* Effect.die(new Error("It is not due"))
      const batch = Option.getOrThrow(yield* queue.read(turn, null, { events: 1_000, bytes: 1_000_000 }))
      const { account_id, workspace_id } = turn
      const dead = yield* Effect.forEach(batch.events, ({ event }) => {
        const place = contextOfDeadBodies({ account_id, workspace_id, destination_id, event_id: event.id })
        return Effect.map(vault.seal(Redacted.make(JSON.stringify(deadBodies)), place), (sealed_bodies) => ({
          ...{ event_id: event.id, status: 400, message: "The platform answered 400.", sealed_bodies }
        }))
      })
      const attempt = {
        ...{ outcome: "refused" as const, events: dead.length, accepted: 0, refused: dead.length, rejected_spans: 0 },
        ...{ duration_ms: 12, status: 400, message: "The platform answered 400." }
      }
      const answer = { status: 400, message: "The platform answered 400." }
      yield* queue.acknowledge(turn, { position: batch.position ?? "", accepted: 0, dead, answer, attempt }, 0)
      yield* queue.release(turn, { kind: "released" })
    })
  )
}

/** A destination that refused an event. */
export const withDeadLetter = async (world: World): Promise<string> => {
  const id = await newUnreachable(world)
  await letDie(world, id, ["a"])
  return id
}
