/**
 * What is handled of answers in one turn of the event loop, by all of them together: whoever else waits has its turn in between, however many
 * providers send as fast as they are read.
 */
export class LoopShare {
  readonly #most: number
  #spent = 0
  #isCounting = false
  readonly #waiting: { readonly cost: number; readonly go: () => void }[] = []

  /** `most`: what is handled in one turn, in bytes. What is begun is handled whole. */
  constructor(most: number) {
    this.#most = most
  }

  /** Counts what is about to be handled. A promise: it has to wait, behind those that came before. */
  take(cost: number): Promise<void> | undefined {
    this.#count()
    if (this.#waiting.length > 0 || this.#spent >= this.#most)
      return new Promise((go) => this.#waiting.push({ cost, go }))
    this.#spent += cost
    return undefined
  }

  #count(): void {
    if (this.#isCounting) return
    this.#isCounting = true
    setImmediate(() => {
      this.#isCounting = false
      this.#spent = 0
      while (this.#spent < this.#most) {
        const next = this.#waiting.shift()
        if (next === undefined) return
        this.#spent += next.cost
        next.go()
      }
      this.#count()
    })
  }
}

/** Of all answers of this process. A piece counts its bytes; handling one is what counts most. */
export const loopShare = new LoopShare(65_536)
