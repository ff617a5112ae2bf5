import { compareText } from "./text.ts"

/** A queue in which accounts take turns; what one account adds is taken in its order. */
export interface FairQueue<T> {
  /** Returns a function that removes what was added, if it was not taken. */
  readonly add: (account_id: string, one: T) => () => void
  /** The next one; of an account that `mayTake` allows, if it is given. */
  readonly take: (mayTake?: (account_id: string) => boolean) => T | undefined
  readonly size: () => number
  readonly sizeOf: (account_id: string) => number
}

export const makeFairQueue = <T>(): FairQueue<T> => {
  /** In the order of their turns; none is empty. */
  const waiting = new Map<string, Set<{ readonly one: T }>>()
  let size = 0
  const remove = (account_id: string, own: Set<{ readonly one: T }>, entry: { readonly one: T }): void => {
    if (!own.delete(entry)) return
    size--
    if (own.size === 0) waiting.delete(account_id)
  }
  return {
    add: (account_id, one) => {
      const entry = { one }
      const own = waiting.get(account_id) ?? new Set()
      waiting.set(account_id, own.add(entry))
      size++
      return () => remove(account_id, own, entry)
    },
    take: (mayTake) => {
      for (const [account_id, own] of waiting) {
        if (mayTake?.(account_id) === false) continue
        for (const entry of own) {
          remove(account_id, own, entry)
          // Behind all others.
          if (waiting.delete(account_id)) waiting.set(account_id, own)
          return entry.one
        }
      }
      return undefined
    },
    size: () => size,
    sizeOf: (account_id) => waiting.get(account_id)?.size ?? 0
  }
}

/** The account whose turn it is: the first behind `after` that has any of these, else the first of all. */
export const turnOf = (rows: readonly { readonly account_id: string }[], after: string | null): string | undefined => {
  const accounts = rows.map(({ account_id }) => account_id).sort(compareText)
  return accounts.find((account_id) => after === null || compareText(account_id, after) > 0) ?? accounts[0]
}
