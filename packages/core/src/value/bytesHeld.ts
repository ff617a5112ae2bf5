/** About as many bytes as V8 uses. A character may take two. */
const bytesOfObject = 64
const bytesOfMember = 16
const bytesOfText = 24
const bytesOfCharacter = 2

/** An upper bound, roughly, of what plain data takes in memory: objects, arrays, maps and sets, and what is in them. */
export const bytesHeld = (value: unknown): number => {
  let bytes = 0
  const open: unknown[] = [value]
  while (open.length > 0) {
    const one = open.pop()
    if (typeof one === "string") bytes += bytesOfText + bytesOfCharacter * one.length
    else if (typeof one !== "object" || one === null) bytes += bytesOfMember
    else {
      bytes += bytesOfObject
      const members =
        one instanceof Set || one instanceof Map ? [...one] : Array.isArray(one) ? one : Object.values(one)
      for (const member of members) {
        bytes += bytesOfMember
        open.push(member)
      }
    }
  }
  return bytes
}
