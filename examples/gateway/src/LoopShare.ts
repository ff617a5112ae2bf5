/** Something that waits for its turn. */
interface Waiting {
  readonly cost: number
  readonly go: () => void
}

/**
 * What is handled of answers in one turn of the event loop, by all of them together: whoever else waits has its turn in between, however many
 * providers send as fast as they are read. Owners take turns: many streams of one delay another's single stream as little as one of them.
 */
export class LoopShare {
  readonly #most: number
  #spent = 0
  #isCounting = false
  /** By owner, as whoever had a turn last comes last. */
  readonly #waiting = new Map<string, Waiting[]>()

  /** `most`: what is handled in one turn, in bytes. What is begun is handled whole. */
  constructor(most: number) {
    this.#most = most
  }

  /** Counts what is about to be handled. A promise: it has to wait. */
  take(cost: number, owner: string): Promise<void> | undefined {
    this.#count()
    if (this.#waiting.size === 0 && this.#spent < this.#most) {
      this.#spent += cost
      return undefined
    }
    return new Promise((go) => {
      const queue = this.#waiting.get(owner)
      if (queue === undefined) this.#waiting.set(owner, [{ cost, go }])
      else queue.push({ cost, go })
    })
  }

  #count(): void {
    if (this.#isCounting) return
    this.#isCounting = true
    setImmediate(() => {
      this.#isCounting = false
      this.#spent = 0
      while (this.#spent < this.#most) {
        const [first] = this.#waiting
        if (first === undefined) return
        const [owner, queue] = first
        this.#waiting.delete(owner)
        const next = queue.shift()
        if (queue.length > 0) this.#waiting.set(owner, queue)
        this.#spent += next?.cost ?? 0
        next?.go()
      }
      this.#count()
    })
  }
}

/** Of all answers of this process. A piece counts its bytes; handling one is what counts most. */
export const loopShare = new LoopShare(65_536)
