/** What is read of an object that does not change is read once, for as long as the object is there. */
export const remembered = <K extends object, V>(read: (key: K) => V): ((key: K) => V) => {
  const known = new WeakMap<K, V>()
  return (key) => {
    let value = known.get(key)
    if (value === undefined) known.set(key, (value = read(key)))
    return value
  }
}
