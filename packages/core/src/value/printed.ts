/**
 * The JSON of an answer. A page of a list ends by bytes, so that no request makes the server build more than it may send.
 *
 * Rule: requests#lists. A page holds at least one entry and at most 4 MiB of them.
 */
import { joinBytes } from "../value/joinBytes.ts"
import { jsonBytes } from "../value/jsonPieces.ts"
import { maxPageBytes } from "../value/Page.ts"

/** A list before it is printed as a `T`. */
export interface List<out T> {
  readonly page?: T
  readonly entries: Iterable<unknown>
  /** The field of the entries. */
  readonly name: string
  /** The other fields of a page that has so many of the entries. */
  readonly rest: (shown: number) => object
}

/** A list in the form of this API or of SCIM; undefined if an answer is none. */
const listIn = (value: unknown): List<unknown> | undefined => {
  if (typeof value !== "object" || value === null) return undefined
  if ("total_count" in value && "data" in value && Array.isArray(value.data)) {
    const { data, ...rest } = value
    return { entries: data, name: "data", rest: () => rest }
  }
  if ("itemsPerPage" in value && "Resources" in value && Array.isArray(value.Resources)) {
    const { Resources, ...rest } = value
    return { entries: Resources, name: "Resources", rest: (itemsPerPage) => ({ ...rest, itemsPerPage }) }
  }
  return undefined
}

const utf8 = new TextEncoder()

/** Most bytes of UTF-8 for a UTF-16 code unit. */
const mostBytesOfUnit = 3

/** The JSON of a value; a list without the entries that exceed a page. */
export const printed = (value: unknown): string => {
  const list = listIn(value)
  if (list === undefined) return JSON.stringify(value)
  const texts: string[] = []
  let bytes = 0
  let isExact = false
  for (const entry of list.entries) {
    const text = JSON.stringify(entry)
    let own = isExact ? utf8.encode(text).length : text.length * mostBytesOfUnit
    if (!isExact && bytes + own > maxPageBytes) {
      // The estimate is exceeded: from here on the bytes are counted.
      isExact = true
      bytes = texts.reduce((sum, each) => sum + utf8.encode(each).length, 0)
      own = utf8.encode(text).length
    }
    if (texts.length > 0 && bytes + own > maxPageBytes) break
    texts.push(text)
    bytes += own
  }
  return `{"${list.name}":[${texts.join()}],${JSON.stringify(list.rest(texts.length)).slice(1)}`
}

/** Bytes that are joined into one piece. */
const pieceSize = 65_536

/** The same in small steps, as pieces of UTF-8. */
export function* printedInSteps(value: unknown): Generator<void, readonly Uint8Array[]> {
  const list = listIn(value)
  return yield* list === undefined ? jsonBytes(value) : listInSteps(list)
}

/** The page of a list in small steps. */
export function* listInSteps(list: List<unknown>): Generator<void, readonly Uint8Array[]> {
  const pieces: Uint8Array[] = []
  let parts: Uint8Array[] = [utf8.encode(`{"${list.name}":[`)]
  let gathered = 0
  const add = (part: Uint8Array) => {
    parts.push(part)
    gathered += part.length
    if (gathered < pieceSize) return
    pieces.push(joinBytes(parts))
    parts = []
    gathered = 0
  }
  let bytes = 0
  let shown = 0
  for (const entry of list.entries) {
    const own = yield* jsonBytes(entry)
    const size = own.reduce((sum, { length }) => sum + length, 0)
    if (shown > 0 && bytes + size > maxPageBytes) break
    if (shown > 0) add(comma)
    for (const piece of own) add(piece)
    bytes += size
    shown++
  }
  add(utf8.encode(`],${JSON.stringify(list.rest(shown)).slice(1)}`))
  if (parts.length > 0) pieces.push(joinBytes(parts))
  return pieces
}

const comma = utf8.encode(",")
