/**
 * What is under way, where much comes and goes: each is given a place, and leaves it empty for the next one.
 *
 * A `Set` that is emptied as fast as it fills makes a new table again and again. An old table still holds what was in it when it was
 * given up and leads to its successor, so once one of them has grown old, the garbage collector takes all that follow for alive: half
 * of all requests, with their answers, until the next collection of the whole heap.
 */
export class Places<T> {
  readonly #taken: (T | undefined)[] = []
  readonly #free: number[] = []

  get size(): number {
    return this.#taken.length - this.#free.length
  }

  take(value: T): number {
    const place = this.#free.pop() ?? this.#taken.length
    this.#taken[place] = value
    return place
  }

  leave(place: number): void {
    this.#taken[place] = undefined
    this.#free.push(place)
  }

  values(): readonly T[] {
    return this.#taken.filter((value) => value !== undefined)
  }
}
