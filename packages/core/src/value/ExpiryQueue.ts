/**
 * A priority queue of names by expiry: an indexed binary heap.
 *
 * Every method takes time in the logarithm of the number of names. A removed name leaves no entry behind.
 */
interface Entry {
  readonly name: string
  readonly expires_at: number
}

export class ExpiryQueue {
  readonly #heap: Entry[] = []
  readonly #places = new Map<string, number>()

  get size(): number {
    return this.#heap.length
  }

  /** When the next name expires; `undefined` where there is none. */
  get earliest(): number | undefined {
    return this.#heap[0]?.expires_at
  }

  has(name: string): boolean {
    return this.#places.has(name)
  }

  /** When a name expires; `undefined` where it is not in the queue. */
  expiryOf(name: string): number | undefined {
    const place = this.#places.get(name)
    return place === undefined ? undefined : this.#heap[place]?.expires_at
  }

  /** Adds a name, or moves it to another instant. Epoch milliseconds. */
  set(name: string, expires_at: number): void {
    this.#settle(this.#places.get(name) ?? this.#heap.length, { name, expires_at })
  }

  /** Whether the name was there. */
  delete(name: string): boolean {
    const place = this.#places.get(name)
    if (place === undefined) return false
    this.#places.delete(name)
    const last = this.#heap.pop() as Entry
    if (last.name !== name) this.#settle(place, last)
    return true
  }

  /** Removes the name that expired first and returns it; `undefined` when no name has expired by `now`. */
  next(now: number): string | undefined {
    const first = this.#heap[0]
    if (first === undefined || first.expires_at > now) return undefined
    this.delete(first.name)
    return first.name
  }

  /** Restores the heap order: moves an entry from a free slot towards the root, otherwise towards the leaves. */
  #settle(from: number, entry: Entry): void {
    let place = from
    while (place > 0) {
      const above = (place - 1) >> 1
      const parent = this.#heap[above] as Entry
      if (parent.expires_at <= entry.expires_at) break
      this.#put(place, parent)
      place = above
    }
    for (;;) {
      const left = 2 * place + 1
      const right = this.#heap[left + 1]
      const child = right !== undefined && right.expires_at < (this.#heap[left] as Entry).expires_at ? left + 1 : left
      const below = this.#heap[child]
      if (below === undefined || below.expires_at >= entry.expires_at) break
      this.#put(place, below)
      place = child
    }
    this.#put(place, entry)
  }

  #put(place: number, entry: Entry): void {
    this.#heap[place] = entry
    this.#places.set(entry.name, place)
  }
}
