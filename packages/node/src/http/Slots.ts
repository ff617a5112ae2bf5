/**
 * A slot list for what is in flight, where much comes and goes.
 *
 * V8 gives a `Set` that empties as fast as it fills a new table again and again. An old table keeps its entries and points to its successor,
 * so once one table has grown old, the garbage collector takes all later ones for alive: half of all requests, with their answers, until
 * the next collection of the whole heap.
 */
export class Slots<T> {
  readonly #taken: (T | undefined)[] = []
  readonly #free: number[] = []

  get size(): number {
    return this.#taken.length - this.#free.length
  }

  take(value: T): number {
    const slot = this.#free.pop() ?? this.#taken.length
    this.#taken[slot] = value
    return slot
  }

  free(slot: number): void {
    this.#taken[slot] = undefined
    this.#free.push(slot)
  }

  values(): readonly T[] {
    return this.#taken.filter((value) => value !== undefined)
  }
}
