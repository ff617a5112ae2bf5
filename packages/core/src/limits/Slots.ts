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
