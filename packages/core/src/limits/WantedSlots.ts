/**
 * How much work may be claimed, so that none of the accounts that share a process keeps the others waiting.
 *
 * Rule: observability#retries, alerts#attempts.
 */

/** What a claim may take. Without shares, one account may take it all. */
export interface WantedSlots {
  readonly most: number
  /** Of one account. */
  readonly ofAccount?: number
  /** The same, of accounts that hold slots already. */
  readonly ofHolders?: ReadonlyMap<string, number>
}

/** How much of it an account may take. */
export const shareOf = ({ most, ofAccount = most, ofHolders }: WantedSlots, account_id: string): number =>
  Math.min(most, ofHolders?.get(account_id) ?? ofAccount)

/** Accounts whose share is used up. */
export const withoutShare = ({ ofHolders }: WantedSlots): readonly string[] =>
  [...(ofHolders ?? [])].flatMap(([account_id, share]) => (share <= 0 ? [account_id] : []))

/**
 * Takes the first of each account, then the second of each, and so on, up to the share of each.
 *
 * @param waiting - In the order in which they became due.
 * @param wanted - What may be taken.
 * @returns What is taken, in the same order.
 * @example
 * ```ts
 * // Of 900 rows of one account and one of another, at most two of the first, and the other one.
 * takeFairly(rows, { most: 3, ofAccount: 2 })
 * ```
 */
export const takeFairly = <Row extends { readonly account_id: string }>(
  waiting: readonly Row[],
  wanted: WantedSlots
): readonly Row[] => {
  const places = new Map<string, number>()
  const placed = waiting.flatMap((row, index) => {
    const place = (places.get(row.account_id) ?? 0) + 1
    places.set(row.account_id, place)
    return place <= shareOf(wanted, row.account_id) ? [{ row, index, place }] : []
  })
  return placed
    .sort((a, b) => a.place - b.place || a.index - b.index)
    .slice(0, wanted.most)
    .sort((a, b) => a.index - b.index)
    .map(({ row }) => row)
}
