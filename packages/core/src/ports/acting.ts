/** Who changes what. Rule: audit#actors. */
import { Context, Effect } from "effect"
import { timestamp } from "../value/calendar.ts"

/**
 * `key`: an API key, `id` is its hash. `user`: a user whom the host authenticated, `id` is the host's name for the user. `app`: whoever
 * exchanged an authorization code. `host`: the host's own call of the library. `operator`: the command line. `server`: Gatewarden
 * itself, when it starts or does background work.
 */
export type ActorKind = "key" | "user" | "app" | "host" | "operator" | "server"

export interface Actor {
  readonly type: ActorKind
  readonly id: string | null
}

/**
 * Who changes what, while an operation runs: the store writes it beside each change, in the transaction of the change.
 *
 * A change that is made while nobody acts, as with `psql`, is recorded with the actor `database`.
 */
export interface Acting {
  readonly actor: Actor
  /** Of the table of operations, or a command's name. */
  readonly operation: string
  readonly request_id: string | null
  /** When the operation began; UTC, ISO 8601. */
  readonly at: string
}

/** Several operations whose writes share a statement, by the id of what each changes. */
export interface ActingEach {
  readonly each: ReadonlyMap<string, Acting>
}

export const Acts = Context.Reference<Acting | ActingEach | undefined>("gatewarden/Acts", {
  defaultValue: () => undefined
})

/** Runs work that changes something in the name of an actor, from now on. */
export const actingAs = <A, E, R>(
  { actor, operation, request_id = null }: Pick<Acting, "actor" | "operation"> & Partial<Acting>,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> =>
  Effect.flatMap(timestamp, (at) => Effect.provideService(work, Acts, { actor, operation, request_id, at }))

const server: Actor = { type: "server", id: null }

/** What Gatewarden changes by itself: `start`, or the name of a background job. */
export const asServer = <A, E, R>(operation: string, work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  actingAs({ actor: server, operation }, work)

/** `database`: nobody acted through Gatewarden, as with a statement in `psql`. */
export interface RecordedActor {
  readonly type: ActorKind | "database"
  readonly id: string | null
}
