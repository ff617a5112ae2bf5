/** Something that waits for its turn. */
interface Waiting {
  readonly cost: number
  readonly go: () => void
}

/**
 * Milliseconds. After a turn that takes longer, whoever had most of it rests as long as it took: whoever else waits needs several turns of the
 * event loop, and would wait for a long one in each.
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
  /** What each owner has of the turn. */
  readonly #shares = new Map<string, number>()
  /** By owner, as whoever had a turn last comes last. */
  readonly #waiting = new Map<string, Waiting[]>()
  /** Of owners that rest. */
  readonly #resting = new Map<string, Waiting[]>()

  /** `most`: what is handled in one turn, in bytes. What is begun is handled whole. */
  constructor(most: number, clock: LoopClock = ownClock) {
    this.#most = most
    this.#clock = clock
  }

  /** Counts what is about to be handled. A promise: it has to wait. */
  take(cost: number, owner: string): Promise<void> | undefined {
    const resting = this.#resting.get(owner)
    if (resting !== undefined) return new Promise((go) => resting.push({ cost, go }))
    this.#count()
    if (cost <= shortPiece && this.#waiting.size === 0 && this.#spent < this.#most) {
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
    setImmediate(() => this.#turn())
    // Runs as soon as all is done that was let go.
    setImmediate(() => this.#rest())
  }

  #turn(): void {
    this.#spent = 0
    this.#shares.clear()
    this.#began = this.#clock.now()
    while (this.#spent < this.#most) {
      const [first] = this.#waiting
      if (first === undefined) return
      const [owner, queue] = first
      const [next] = queue
      // Its time is its owner's.
      if (next !== undefined && next.cost > shortPiece && this.#spent > 0) return
      this.#waiting.delete(owner)
      queue.shift()
      if (queue.length > 0) this.#waiting.set(owner, queue)
      const { cost = 0, go } = next ?? {}
      this.#spent += cost
      this.#shares.set(owner, (this.#shares.get(owner) ?? 0) + cost)
      go?.()
      if (cost > shortPiece) return
    }
  }

  #rest(): void {
    this.#isCounting = false
    const took = this.#clock.now() - this.#began
    const [most] = [...this.#shares].toSorted(([, a], [, b]) => b - a)
    if (most !== undefined && took >= longTurn) this.#letRest(most[0], Math.min(took, longestRest))
    this.#spent = 0
    if (this.#waiting.size > 0) this.#count()
  }

  #letRest(owner: string, millis: number): void {
    const queue = this.#waiting.get(owner) ?? []
    this.#waiting.delete(owner)
    this.#resting.set(owner, queue)
    this.#clock.later(millis, () => {
      this.#resting.delete(owner)
      if (queue.length === 0) return
      this.#waiting.set(owner, queue)
      this.#count()
    })
  }
}

/** Of all answers of this process. A piece counts its bytes; handling one is what counts most. */
export const loopShare = new LoopShare(65_536)
