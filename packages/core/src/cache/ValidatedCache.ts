/**
 * Values that were looked up before and have not changed since, so that a busy caller costs no query per request.
 *
 * They count while the instance knows what has changed (`Freshness`), and not for ever, so that the log need not be kept for ever. A
 * look-up that a change overtakes leaves nothing behind.
 */
import { Cause, Clock, Context, Deferred, Effect, Exit } from "effect"
import type { ChangeLog } from "../ports/changeLog.ts"
import type { FreshnessState } from "./Freshness.ts"

const lifetimeMillis = 60_000

/** Bytes that an instance's caches of what decisions stand on may take together. A platform that knows its memory gives a share of it. */
export const CacheBytes = Context.Reference<number>("gatewarden/CacheBytes", { defaultValue: () => 32 * 1_048_576 })

export interface ValidatedCache<V> {
  /** The kept value, if it counts now without another look at the log. */
  readonly kept: (key: string, now: number, owner?: string) => V | undefined
  /** The kept value, else what the look-up finds, which is kept unless it fails. */
  readonly get: <E, R>(
    key: string,
    lookUp: Effect.Effect<V, E, R>,
    owner?: string
  ) => Effect.Effect<V, E, R | ChangeLog>
  /**
   * The same for what costs much to find: callers that ask meanwhile share one look-up, unless a change overtakes it. Its failure is that
   * of all of them, so look-ups of a key must fail alike. If its caller is interrupted, the next of them looks up.
   */
  readonly share: <E, R>(
    key: string,
    lookUp: Effect.Effect<V, E, R>,
    owner?: string
  ) => Effect.Effect<V, E, R | ChangeLog>
  readonly forget: (key: string, owner?: string) => void
  /** Forgets all entries of one owner, at no cost to the others, however many there are. */
  readonly forgetOwner: (owner: string) => void
  /** Of one owner, or of all of them. */
  readonly forgetWhere: (isChanged: (key: string, value: V) => boolean, owner?: string) => void
  readonly clear: () => void
}

/** How look-ups of an owner follow each other. */
export interface LookUps {
  readonly inTurn: (owner: string) => <A, E, R>(lookUp: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Told what a look-up found, by its weight. */
  readonly found: (owner: string, weight: number) => void
}

const atOnce: LookUps = { inTurn: () => (lookUp) => lookUp, found: () => {} }

interface Entry<V> {
  readonly owner: string
  readonly key: string
  readonly value: V
  readonly until: number
  readonly weight: number
}

/** What is kept of one owner. */
interface Kept<V> {
  readonly entries: Map<string, Entry<V>>
  weight: number
}

/** A look-up in flight. Its value is not kept when the entry was forgotten meanwhile. */
interface Flight {
  readonly owner: string
  readonly key: string
  isOvertaken: boolean
}

/**
 * `capacity`: entries in all, or what they weigh together; a value that weighs more than half of it is not kept. A full cache loses its
 * oldest entries: those of the owner alone if it fills at least half, so that one account cannot keep evicting those of others.
 *
 * `owner`: the account that the entry belongs to. A key is a key within its owner.
 */
export const makeValidatedCache = <V>(
  freshness: FreshnessState,
  capacity: number,
  weigh: (value: V, key: string) => number = () => 1,
  { inTurn, found }: LookUps = atOnce
): ValidatedCache<V> => {
  const owners = new Map<string, Kept<V>>()
  /** All entries, the oldest first. */
  const order = new Set<Entry<V>>()
  const flights = new Set<Flight>()
  /** By owner and key. */
  const shared = new Map<
    string,
    { readonly flight: Flight; readonly ended: Deferred.Deferred<Exit.Exit<V, unknown>> }
  >()
  let size = 0

  const drop = (entry: Entry<V>): void => {
    const kept = owners.get(entry.owner)
    if (kept === undefined || !order.delete(entry)) return
    kept.entries.delete(entry.key)
    kept.weight -= entry.weight
    size -= entry.weight
    if (kept.entries.size === 0) owners.delete(entry.owner)
  }
  const dropOwner = (owner: string): void => {
    const kept = owners.get(owner)
    if (kept === undefined) return
    for (const entry of kept.entries.values()) order.delete(entry)
    size -= kept.weight
    owners.delete(owner)
  }
  const dropAll = (): void => {
    // An empty map that is cleared allocates a new table.
    if (order.size === 0) return
    owners.clear()
    order.clear()
    size = 0
  }
  const entryAt = (owner: string, key: string, now: number): Entry<V> | undefined => {
    if (!freshness.isCurrent(now)) return undefined
    const entry = owners.get(owner)?.entries.get(key)
    if (entry === undefined || entry.until > now) return entry
    drop(entry)
    return undefined
  }
  /** The entry that makes room for an owner's entry of a weight; undefined if there is room. */
  const evicted = (owner: string, weight: number): Entry<V> | undefined => {
    if (size + weight <= capacity) return undefined
    const own = owners.get(owner)
    const [oldest] = own !== undefined && 2 * own.weight >= capacity ? own.entries.values() : order
    return oldest
  }
  const keep = (owner: string, key: string, value: V, weight: number, now: number): void => {
    if (weight > 1 && 2 * weight > capacity) return
    const replaced = owners.get(owner)?.entries.get(key)
    if (replaced !== undefined) drop(replaced)
    for (let next = evicted(owner, weight); next !== undefined; next = evicted(owner, weight)) drop(next)
    const kept = owners.get(owner) ?? { entries: new Map<string, Entry<V>>(), weight: 0 }
    owners.set(owner, kept)
    const entry = { owner, key, value, until: now + lifetimeMillis, weight }
    kept.weight += weight
    size += weight
    kept.entries.set(key, entry)
    order.add(entry)
  }
  const overtake = (isChanged: (flight: Flight) => boolean): void => {
    for (const flight of flights) if (isChanged(flight)) flight.isOvertaken = true
  }
  type Fly = <E, R>(flight: Flight, now: number, lookUp: Effect.Effect<V, E, R>) => Effect.Effect<V, E, R>

  /** Keeps what is found, unless a change overtakes the look-up. */
  const fly: Fly = (flight, now, lookUp) =>
    inTurn(flight.owner)(
      Effect.uninterruptibleMask((restore) => {
        flights.add(flight)
        return Effect.onExit(restore(lookUp), (exit) => {
          flights.delete(flight)
          if (Exit.isFailure(exit)) return Effect.void
          const { owner, key, isOvertaken } = flight
          const weight = weigh(exit.value, key)
          found(owner, weight)
          if (!isOvertaken) keep(owner, key, exit.value, weight, now)
          return Effect.void
        })
      })
    )

  /**
   * The look-up stays on the fiber of its caller, whose transaction it may use. If the caller is interrupted, so is the look-up, and the
   * others look again.
   */
  const flyTogether: Fly = <E, R>(flight: Flight, now: number, lookUp: Effect.Effect<V, E, R>) =>
    Effect.uninterruptibleMask((restore): Effect.Effect<V, E, R> => {
      const place = `${flight.owner} ${flight.key}`
      const other = shared.get(place)
      if (other !== undefined && !other.flight.isOvertaken)
        return restore(
          Effect.flatMap(Deferred.await(other.ended as Deferred.Deferred<Exit.Exit<V, E>>), (exit) =>
            Exit.isFailure(exit) && Cause.hasInterrupts(exit.cause) ? flyTogether(flight, now, lookUp) : exit
          )
        )
      const ended = Deferred.makeUnsafe<Exit.Exit<V, unknown>>()
      shared.set(place, { flight, ended })
      return Effect.onExit(restore(fly(flight, now, lookUp)), (exit) => {
        if (shared.get(place)?.flight === flight) shared.delete(place)
        Deferred.doneUnsafe(ended, Exit.succeed(exit))
        return Effect.void
      })
    })

  const getBy =
    (flyBy: Fly): ValidatedCache<V>["get"] =>
    (key, lookUp, owner = "") =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const entry = entryAt(owner, key, now)
        if (entry !== undefined) return Effect.succeed(entry.value)
        return Effect.flatMap(freshness.renew, (isTrusted) => {
          if (!isTrusted) return inTurn(owner)(lookUp)
          const renewed = entryAt(owner, key, now)
          if (renewed !== undefined) return Effect.succeed(renewed.value)
          return flyBy({ owner, key, isOvertaken: false }, now, lookUp)
        })
      })

  return {
    kept: (key, now, owner = "") => entryAt(owner, key, now)?.value,
    get: getBy(fly),
    share: getBy(flyTogether),
    forget: (key, owner = "") => {
      overtake((flight) => flight.key === key && flight.owner === owner)
      const entry = owners.get(owner)?.entries.get(key)
      if (entry !== undefined) drop(entry)
    },
    forgetOwner: (owner) => {
      overtake((flight) => flight.owner === owner)
      dropOwner(owner)
    },
    forgetWhere: (isChanged, owner) => {
      // Nobody knows yet what a look-up in flight finds.
      overtake((flight) => owner === undefined || flight.owner === owner)
      for (const entry of owner === undefined ? order : (owners.get(owner)?.entries.values() ?? []))
        if (isChanged(entry.key, entry.value)) drop(entry)
    },
    clear: () => {
      overtake(() => true)
      dropAll()
    }
  }
}
