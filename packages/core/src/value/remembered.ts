/** What is read of an object that does not change is read once, for as long as the object is there. */
export const remembered = <K extends object, V>(read: (key: K) => V): ((key: K) => V) => {
  const known = new WeakMap<K, V>()
  return (key) => {
    let value = known.get(key)
    if (value === undefined) known.set(key, (value = read(key)))
    return value
  }
}

/**
 * Removes the oldest eighth of a map that is full. One entry at a time would cost more: an iteration over a `Map` passes over each entry
 * that was removed since the last rehash.
 */
export const evictOldest = (map: Map<unknown, unknown>, capacity: number): void => {
  if (map.size < capacity) return
  let left = Math.ceil(capacity / 8)
  for (const key of map.keys()) {
    if (left-- === 0) return
    map.delete(key)
  }
}
