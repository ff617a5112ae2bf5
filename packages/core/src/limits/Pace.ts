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
