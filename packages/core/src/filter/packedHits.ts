/** Hits as a typed array of numbers, which moves between threads without a copy. */
import type { Hit } from "./ScanJob.ts"
import { injectionPatterns } from "./injection/injectionPatterns.ts"

const names = injectionPatterns.map(({ name }) => name)
const width = 5

export const packHits = (hits: readonly Hit[]): Int32Array<ArrayBuffer> => {
  const packed = new Int32Array(hits.length * width)
  let at = 0
  for (const { sought, text, start, end, name } of hits) {
    packed[at++] = sought
    packed[at++] = text
    packed[at++] = start
    packed[at++] = end
    packed[at++] = name === undefined ? -1 : names.indexOf(name)
  }
  return packed
}

export const unpackHits = (packed: Int32Array): readonly Hit[] => {
  const hits: Hit[] = []
  for (let at = 0; at < packed.length; at += width) {
    const name = names[packed[at + 4] ?? -1]
    const hit = {
      sought: packed[at] ?? 0,
      text: packed[at + 1] ?? 0,
      start: packed[at + 2] ?? 0,
      end: packed[at + 3] ?? 0
    }
    hits.push(name === undefined ? hit : { ...hit, name })
  }
  return hits
}
