/**
 * Work that takes much memory, or a connection for long, a few pieces at once. Accounts take turns, so one that asks for much delays another
 * by a few pieces, and few of an account's wait, so that they do not take the connections of the server.
 */
import { Effect } from "effect"
import { makeFairQueue } from "./fairQueue.ts"

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

interface Account {
  /** Pieces that wait, or are worked on. */
  pieces: number
  working: number
}

interface Rule<E> {
  /** Pieces that are worked on at once; absent: any number. */
  readonly atOnce?: number
  /** Of one account; a function may answer less for one whose pieces are larger. */
  readonly ofAccount: number | ((account_id: string) => number)
  /** Pieces of one account that wait, or are worked on. */
  readonly waiting: number
  /** Why one more is refused. */
  readonly refusal: () => E
}

/** Nearly every turn comes at once, so that costs no more than counting. */
export const makeTurns = <E>({ atOnce = Infinity, ofAccount, waiting, refusal }: Rule<E>): Turns<E> => {
  const accounts = new Map<string, Account>()
  /** Those whose turn has not come, each with what begins it. */
  const queue = makeFairQueue<() => void>()
  let working = 0
  const most = typeof ofAccount === "number" ? () => ofAccount : ofAccount
  const mayWork = (account_id: string): boolean =>
    working < atOnce && (accounts.get(account_id)?.working ?? 0) < most(account_id)
  const beginWaiting = (): void => {
    for (;;) {
      const begin = queue.take(mayWork)
      if (begin === undefined) return
      begin()
    }
  }
  const turn = <F>(account_id: string, refused: (account: Account) => F | undefined): Turn<F> => {
    let entered: Account | undefined
    let isWorking = false
    return {
      come: Effect.suspend((): Effect.Effect<void, F> => {
        const account = accounts.get(account_id) ?? { pieces: 0, working: 0 }
        const failure = refused(account)
        if (failure !== undefined) return Effect.fail(failure)
        accounts.set(account_id, account)
        account.pieces++
        entered = account
        const begin = (): void => {
          isWorking = true
          account.working++
          working++
        }
        if (mayWork(account_id)) {
          begin()
          return Effect.void
        }
        const waited = Effect.callback<void>((resume) => {
          const leave = queue.add(account_id, () => {
            begin()
            resume(Effect.void)
          })
          return Effect.sync(leave)
        })
        return Effect.interruptible(waited)
      }),
      end: Effect.sync(() => {
        if (entered === undefined) return
        if (--entered.pieces === 0) accounts.delete(account_id)
        if (isWorking) {
          entered.working--
          working--
        }
        entered = undefined
        isWorking = false
        beginWaiting()
      })
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

/** Turns of accounts of which any number of pieces may wait. */
export const makeWaitingTurns = (ofAccount: Rule<never>["ofAccount"]): Turns<never> =>
  makeTurns({
    ofAccount,
    waiting: Infinity,
    refusal: () => {
      throw new Error("Any number may wait")
    }
  })
