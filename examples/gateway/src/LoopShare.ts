/** Something that waits for its turn. */
interface Waiting {
  readonly cost: number
  readonly go: () => void
}

/**
 * Milliseconds. A turn that takes longer is followed by a rest as long as itself: whoever else waits needs several turns of the event loop, and
 * would wait for a long one in each.
 */
const longTurn = 50
const longestRest = 1_000

/** In bytes: what may take long begins in a turn of its own, so that its time is known. */
const shortPiece = 16_384

export interface LoopClock {
  readonly now: () => number
  readonly later: (millis: number, go: () => void) => void
}

const ownClock: LoopClock = {
  now: () => performance.now(),
  later: (millis, go) => void setTimeout(go, millis)
}

/**
 * What is handled of answers in one turn of the event loop, by all of them together: whoever else waits has its turn in between, however many
 * providers send as fast as they are read. Owners take turns: many streams of one delay another's single stream as little as one of them.
 */
export class LoopShare {
  readonly #most: number
  readonly #clock: LoopClock
  #spent = 0
  #began = 0
  #isCounting = false
  #isResting = false
  /** By owner, as whoever had a turn last comes last. */
  readonly #waiting = new Map<string, Waiting[]>()

  /** `most`: what is handled in one turn, in bytes. What is begun is handled whole. */
  constructor(most: number, clock: LoopClock = ownClock) {
    this.#most = most
    this.#clock = clock
  }

  /** Counts what is about to be handled. A promise: it has to wait. */
  take(cost: number, owner: string): Promise<void> | undefined {
    this.#count()
    if (cost <= shortPiece && !this.#isResting && this.#waiting.size === 0 && this.#spent < this.#most) {
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
    if (this.#isCounting || this.#isResting) return
    this.#isCounting = true
    setImmediate(() => this.#turn())
    // Runs as soon as all is done that was let go.
    setImmediate(() => this.#rest())
  }

  #turn(): void {
    this.#spent = 0
    this.#began = this.#clock.now()
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
  }

  #rest(): void {
    this.#isCounting = false
    const took = this.#clock.now() - this.#began
    if (took < longTurn) return this.#goOn()
    this.#isResting = true
    this.#clock.later(Math.min(took, longestRest), () => {
      this.#isResting = false
      this.#goOn()
    })
  }

  #goOn(): void {
    this.#spent = 0
    if (this.#waiting.size > 0) this.#count()
  }
}

/** Of all answers of this process. A piece counts its bytes; handling one is what counts most. */
export const loopShare = new LoopShare(65_536)
