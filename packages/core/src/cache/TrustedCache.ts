/**
 * Values that were looked up before and have not changed since, so that a busy caller costs no query per request.
 *
 * They count while the instance knows what has changed (`Freshness`), and not for ever, so that the log need not be kept for ever. A
 * look-up that a change overtakes leaves nothing behind.
 */
import { Clock, Context, Deferred, Effect, Exit, Fiber } from "effect"
import type { ChangeLog } from "../ports/changes.ts"
import type { FreshnessState } from "./Freshness.ts"

const lifetimeMillis = 60_000

/** Bytes that an instance's caches of what decisions stand on may take together. A platform that knows its memory gives a share of it. */
export const CacheBytes = Context.Reference<number>("gatewarden/CacheBytes", { defaultValue: () => 32 * 1_048_576 })

export interface TrustedCache<V> {
  /** The kept value, if it counts now without another look at the log. */
  readonly kept: (key: string, now: number, owner?: string) => V | undefined
  /** The kept value, else what the look-up finds, which is kept unless it fails. */
  readonly get: <E, R>(
    key: string,
    lookUp: Effect.Effect<V, E, R>,
    owner?: string
  ) => Effect.Effect<V, E, R | ChangeLog>
  /**
   * The same for what costs much to find: callers that ask meanwhile share one look-up, unless a change overtakes it. It goes on where its
   * first caller is interrupted, and its failure is that of all of them, so look-ups of a key must fail alike.
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

interface Entry<V> {
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

/** On a fiber that nobody interrupts: a look-up may have interruptible regions of its own, such as a wait for a turn. */
const onItsOwn = <A, E, R>(lookUp: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.flatMap(Effect.forkDetach(lookUp, { startImmediately: true, uninterruptible: true }), Fiber.join)

/**
 * `capacity`: entries in all, or what they weigh together; a value that weighs more than half of it is not kept. An owner that fills at least half of a full cache loses its own entries alone, so that one account
 * cannot keep evicting those of others; otherwise a full cache starts anew.
 *
 * `owner`: the account that the entry belongs to. A key is a key within its owner.
 */
export const makeTrustedCache = <V>(
  freshness: FreshnessState,
  capacity: number,
  weigh: (value: V, key: string) => number = () => 1
): TrustedCache<V> => {
  const owners = new Map<string, Kept<V>>()
  const flights = new Set<Flight>()
  /** By owner and key. */
  const shared = new Map<string, { readonly flight: Flight; readonly found: Deferred.Deferred<V, unknown> }>()
  let size = 0

  const drop = (owner: string, kept: Kept<V>, key: string): void => {
    const entry = kept.entries.get(key)
    if (entry === undefined) return
    kept.entries.delete(key)
    kept.weight -= entry.weight
    size -= entry.weight
    if (kept.entries.size === 0) owners.delete(owner)
  }
  const dropOwner = (owner: string): void => {
    size -= owners.get(owner)?.weight ?? 0
    owners.delete(owner)
  }
  const dropAll = (): void => {
    // An empty map that is cleared allocates a new table.
    if (size > 0) owners.clear()
    size = 0
  }
  const entryAt = (owner: string, key: string, now: number): Entry<V> | undefined => {
    if (!freshness.isCurrent(now)) return undefined
    const kept = owners.get(owner)
    const entry = kept?.entries.get(key)
    if (kept === undefined || entry === undefined || entry.until > now) return entry
    drop(owner, kept, key)
    return undefined
  }
  const keep = (owner: string, key: string, value: V, now: number): void => {
    const weight = weigh(value, key)
    if (weight > 1 && 2 * weight > capacity) return
    if (size + weight > capacity) {
      if (2 * (owners.get(owner)?.weight ?? 0) >= capacity) dropOwner(owner)
      else dropAll()
    }
    const kept = owners.get(owner) ?? { entries: new Map<string, Entry<V>>(), weight: 0 }
    owners.set(owner, kept)
    const replaced = kept.entries.get(key)?.weight ?? 0
    kept.weight += weight - replaced
    size += weight - replaced
    kept.entries.set(key, { value, until: now + lifetimeMillis, weight })
  }
  const overtake = (isChanged: (flight: Flight) => boolean): void => {
    for (const flight of flights) if (isChanged(flight)) flight.isOvertaken = true
  }
  type Fly = <E, R>(flight: Flight, now: number, lookUp: Effect.Effect<V, E, R>) => Effect.Effect<V, E, R>

  /** Keeps what is found, unless a change overtakes the look-up. */
  const fly: Fly = (flight, now, lookUp) =>
    Effect.suspend(() => {
      flights.add(flight)
      return Effect.onExit(lookUp, (exit) => {
        flights.delete(flight)
        if (Exit.isSuccess(exit) && !flight.isOvertaken) keep(flight.owner, flight.key, exit.value, now)
        return Effect.void
      })
    })

  /** The first caller leaves when the look-up has ended, also if it is interrupted: the look-up may use a transaction of it. */
  const flyTogether: Fly = <E, R>(flight: Flight, now: number, lookUp: Effect.Effect<V, E, R>) =>
    Effect.uninterruptibleMask((restore): Effect.Effect<V, E, R> => {
      const place = `${flight.owner} ${flight.key}`
      const other = shared.get(place)
      if (other !== undefined && !other.flight.isOvertaken)
        return restore(Deferred.await(other.found as Deferred.Deferred<V, E>))
      const found = Deferred.makeUnsafe<V, E>()
      shared.set(place, { flight, found: found as Deferred.Deferred<V, unknown> })
      const flown = Effect.onExit(fly(flight, now, lookUp), (exit) => {
        if (shared.get(place)?.flight === flight) shared.delete(place)
        Deferred.doneUnsafe(found, exit)
        return Effect.void
      })
      return onItsOwn(flown)
    })

  const getBy =
    (flyBy: Fly): TrustedCache<V>["get"] =>
    (key, lookUp, owner = "") =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const entry = entryAt(owner, key, now)
        if (entry !== undefined) return Effect.succeed(entry.value)
        return Effect.flatMap(freshness.renew, (isTrusted) => {
          if (!isTrusted) return lookUp
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
      const kept = owners.get(owner)
      if (kept !== undefined) drop(owner, kept, key)
    },
    forgetOwner: (owner) => {
      overtake((flight) => flight.owner === owner)
      dropOwner(owner)
    },
    forgetWhere: (isChanged, owner) => {
      // Nobody knows yet what a look-up in flight finds.
      overtake((flight) => owner === undefined || flight.owner === owner)
      for (const of of owner === undefined ? owners.keys() : [owner]) {
        const kept = owners.get(of)
        if (kept === undefined) continue
        for (const [key, { value }] of kept.entries) if (isChanged(key, value)) drop(of, kept, key)
      }
    },
    clear: () => {
      overtake(() => true)
      dropAll()
    }
  }
}
