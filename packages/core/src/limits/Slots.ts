/**
 * Slots of a process that accounts share. An account may hold two thirds of those that the others leave: one alone gets many, and whoever
 * comes next finds some free.
 */
import type { WantedSlots } from "../ports/limits.ts"

export class Slots {
  readonly #held = new Map<string, number>()
  #taken = 0
  readonly size: number

  constructor(size: number) {
    this.size = size
  }

  get taken(): number {
    return this.#taken
  }

  /** How many more an account may take: afterwards it holds at most twice as many as are free, or one. */
  #shareOf(held: number): number {
    const free = this.size - this.#taken
    return Math.min(free, Math.max(held === 0 ? 1 : 0, Math.floor((2 * free - held) / 3)))
  }

  allows(account_id: string, slots: number = 1): boolean {
    return slots <= this.#shareOf(this.#held.get(account_id) ?? 0)
  }

  take(account_id: string, slots: number = 1): void {
    this.#taken += slots
    this.#held.set(account_id, (this.#held.get(account_id) ?? 0) + slots)
  }

  giveBack(account_id: string, slots: number = 1): void {
    this.#taken -= slots
    const held = (this.#held.get(account_id) ?? 0) - slots
    if (held > 0) this.#held.set(account_id, held)
    else this.#held.delete(account_id)
  }

  /** What a claim may take now. It takes no more than one account alone might, so that another claim sees what is left. */
  get wanted(): Required<WantedSlots> {
    const ofAccount = Math.max(0, this.#shareOf(0))
    const ofHolders = new Map(
      [...this.#held].map(([account_id, held]) => [account_id, Math.max(0, this.#shareOf(held))])
    )
    return { most: ofAccount, ofAccount, ofHolders }
  }
}

/**
 * How often something may be done by name, in this process: each name has so many turns at once, and they come back with time.
 *
 * Names are bounded. One is forgotten when all of its turns are back, so that nobody gets turns by naming many others.
 */
export class Pace {
  readonly #turns: number
  readonly #perSecond: number
  readonly #maxNames: number
  /** By name, as the one that was used last comes last. */
  readonly #spent = new Map<string, { readonly left: number; readonly at: number }>()

  constructor({ turns, perSecond, maxNames }: { turns: number; perSecond: number; maxNames: number }) {
    this.#turns = turns
    this.#perSecond = perSecond
    this.#maxNames = maxNames
  }

  #left(name: string, now: number): number {
    const spent = this.#spent.get(name)
    if (spent === undefined) return this.#turns
    return Math.min(this.#turns, spent.left + (Math.max(0, now - spent.at) / 1_000) * this.#perSecond)
  }

  /** Whether the name has a turn. */
  has(name: string, now: number): boolean {
    return this.#left(name, now) >= 1
  }

  /** Takes a turn. False: there is none, or there are too many names that lack some. */
  take(name: string, now: number): boolean {
    const left = this.#left(name, now)
    if (left < 1) return false
    this.#spent.delete(name)
    const [oldest] = this.#spent.keys()
    if (oldest !== undefined && this.#spent.size >= this.#maxNames) {
      if (this.#left(oldest, now) < this.#turns) return false
      this.#spent.delete(oldest)
    }
    this.#spent.set(name, { left: left - 1, at: now })
    return true
  }
}
