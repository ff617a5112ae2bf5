/**
 * Work that takes much memory, or a connection for long, a few pieces at once. Accounts take turns, so one that asks for much delays another
 * by a few pieces, and few of an account's wait, so that they do not take the connections of the server.
 */
import { Effect, PartitionedSemaphore, Semaphore } from "effect"

export interface Turn<E> {
  /** Waits until it is the account's turn. Fails if too many of its pieces wait. Whoever waits has begun nothing, and may be interrupted. */
  readonly come: Effect.Effect<void, E>
  /** Call it when the work has ended, whatever the result, also if the turn never came. */
  readonly end: Effect.Effect<void>
}

export interface Turns<E> {
  readonly turnOf: (account_id: string) => Turn<E>
  /** Does a piece of work when it is the account's turn. */
  readonly within: (account_id: string) => <A, F, R>(work: Effect.Effect<A, F, R>) => Effect.Effect<A, E | F, R>
  /** The same for the next piece of work that goes on: it waits, however many others do. */
  readonly goingOn: (account_id: string) => <A, F, R>(work: Effect.Effect<A, F, R>) => Effect.Effect<A, F, R>
}

interface Waiting {
  /** Pieces that wait, or are worked on. */
  pieces: number
  readonly own: Semaphore.Semaphore
}

interface Rule<E> {
  /** Pieces that are worked on at once; absent: any number. */
  readonly atOnce?: number
  /** Of one account. */
  readonly ofAccount: number
  /** Pieces of one account that wait, or are worked on. */
  readonly waiting: number
  /** Why one more is refused. */
  readonly refusal: () => E
}

export const makeTurns = <E>({ atOnce, ofAccount, waiting, refusal }: Rule<E>): Turns<E> => {
  const accounts = new Map<string, Waiting>()
  const all = atOnce === undefined ? undefined : PartitionedSemaphore.makeUnsafe<string>({ permits: atOnce })
  const leave = (account_id: string, account: Waiting) =>
    Effect.sync(() => {
      if (--account.pieces === 0) accounts.delete(account_id)
    })
  const turn = <F>(account_id: string, refused: (account: Waiting) => F | undefined): Turn<F> => {
    /** What has to be given back, the last first. */
    const taken: Effect.Effect<unknown>[] = []
    const take = (permit: Effect.Effect<unknown>, release: Effect.Effect<unknown>) =>
      Effect.map(Effect.interruptible(permit), () => void taken.unshift(release))
    const come = Effect.suspend((): Effect.Effect<void, F> => {
      const account = accounts.get(account_id) ?? { pieces: 0, own: Semaphore.makeUnsafe(ofAccount) }
      const failure = refused(account)
      if (failure !== undefined) return Effect.fail(failure)
      accounts.set(account_id, account)
      account.pieces++
      taken.unshift(leave(account_id, account))
      const own = take(account.own.take(1), account.own.release(1))
      return all === undefined ? own : Effect.andThen(own, take(all.take(account_id, 1), all.release(1)))
    })
    return {
      come: Effect.uninterruptible(come),
      end: Effect.suspend(() => Effect.forEach(taken.splice(0), (release) => release, { discard: true }))
    }
  }
  const inTurn =
    <F>({ come, end }: Turn<F>) =>
    <A, G, R>(work: Effect.Effect<A, G, R>) =>
      Effect.ensuring(Effect.andThen(come, work), end)
  const turnOf = (account_id: string) => turn(account_id, ({ pieces }) => (pieces >= waiting ? refusal() : undefined))
  return {
    turnOf,
    within: (account_id) => (work) => Effect.suspend(() => inTurn(turnOf(account_id))(work)),
    goingOn: (account_id) => (work) => Effect.suspend(() => inTurn(turn<never>(account_id, () => undefined))(work))
  }
}
