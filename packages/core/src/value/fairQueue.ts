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

interface Entry<T> {
  readonly one: T
  before: Entry<T> | undefined
  after: Entry<T> | undefined
}

/** What one account has waiting. */
interface Line<T> {
  first: Entry<T> | undefined
  last: Entry<T> | undefined
  size: number
}

/**
 * Entries are linked to each other, and to nothing once they are removed: a `Set` that empties as fast as it fills leaves a chain of tables
 * to the garbage collector, which takes what was in them for alive (node's `Slots`).
 */
export const makeFairQueue = <T>(): FairQueue<T> => {
  /** In the order of their turns; none is empty. */
  const waiting = new Map<string, Line<T>>()
  let size = 0
  const append = (line: Line<T>, one: T): Entry<T> => {
    const entry: Entry<T> = { one, before: line.last, after: undefined }
    if (line.last === undefined) line.first = entry
    else line.last.after = entry
    line.last = entry
    line.size++
    size++
    return entry
  }
  const remove = (account_id: string, line: Line<T>, entry: Entry<T>): void => {
    if (line.first === entry) line.first = entry.after
    else if (entry.before === undefined) return
    else entry.before.after = entry.after
    if (entry.after === undefined) line.last = entry.before
    else entry.after.before = entry.before
    entry.before = entry.after = undefined
    size--
    if (--line.size === 0) waiting.delete(account_id)
  }
  return {
    add: (account_id, one) => {
      const line = waiting.get(account_id) ?? { first: undefined, last: undefined, size: 0 }
      waiting.set(account_id, line)
      const entry = append(line, one)
      return () => remove(account_id, line, entry)
    },
    take: (mayTake) => {
      for (const [account_id, line] of waiting) {
        const { first } = line
        if (first === undefined || mayTake?.(account_id) === false) continue
        remove(account_id, line, first)
        // Behind all others.
        if (waiting.delete(account_id)) waiting.set(account_id, line)
        return first.one
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
