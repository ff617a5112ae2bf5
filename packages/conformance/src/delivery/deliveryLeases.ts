/** What a dispatcher does with a store, as suites do it: claims turns, reads, moves positions, and gives turns back. */
import { type Acknowledgement, DeliveryQueue, type DeliveryLease } from "@gatewarden/core/store"
import { Effect, Option } from "effect"
import { eventAt, type Tenant } from "./waitingEvents.ts"
import { readableStream } from "./readableStream.ts"

export const leaseSeconds = 10
export const many = { events: 100, bytes: 1_000_000 }

export const queue = <A, E, R>(use: (port: typeof DeliveryQueue.Service) => Effect.Effect<A, E, R>) =>
  Effect.flatMap(DeliveryQueue, use)

export const claimAll = Effect.gen(function* () {
  yield* readableStream
  return yield* queue((port) => port.claim({ closed: { most: 1_000 }, open: { most: 1_000 } }, leaseSeconds))
})

/** The turn of one destination; those of other tests are left to their leases. */
export const claimOf = Effect.fnUntraced(function* (destination_id: string) {
  return (yield* claimAll).find((turn) => turn.destination_id === destination_id)
})

export const turnOf = Effect.fnUntraced(function* (destination_id: string) {
  return (yield* claimOf(destination_id)) ?? (yield* Effect.die(new Error("It is not due")))
})

export const read = Effect.fnUntraced(function* (turn: DeliveryLease, limits = many, after: string | null = null) {
  const batch = yield* queue((port) => port.read(turn, after, limits))
  return Option.getOrThrow(batch)
})

export const idsOf = (batch: { readonly events: readonly { readonly event: { readonly id: string } }[] }) =>
  batch.events.map(({ event }) => event.id)

export const pass = (turn: DeliveryLease, position: string | null, more: Partial<Acknowledgement> = {}) =>
  queue((port) =>
    port.acknowledge(
      turn,
      { position: position ?? "", accepted: 1, dead: [], answer: undefined, attempt: undefined, ...more },
      leaseSeconds
    )
  )

export const release = (turn: DeliveryLease) => queue((port) => port.release(turn, { kind: "released" }))

export const waiting = Effect.map(
  queue((port) => port.backlog),
  (backlog) => backlog.waiting
)

export const eventsOf = ({ workspace_id }: Tenant, ids: readonly string[], at: number) =>
  ids.map((id) => eventAt(id, workspace_id, at))
