/**
 * The JSON of an answer. A page of a list ends by bytes, so that no request makes the server build more than it may send.
 *
 * Rule: requests#lists. A page holds at least one entry and at most 4 MiB of them.
 */
import { maxPageBytes } from "./Page.ts"
import { joinBytes } from "./bytes.ts"

/** UTF-16 code units of a string that are written in one step, and about how many a piece has. */
const writtenAtOnce = 65_536

/** Deeper than any accepted text. Only a host's cyclic value reaches this depth; `JSON.stringify` throws a `RangeError`, too. */
const maxDepth = 4_000

/** The number of values up to which a value counts as small. */
const few = 100

/** Whether a value is small enough to be serialized at once: few values, and no long text. */
const isShort = (root: unknown): boolean => {
  const open: unknown[] = [root]
  let length = 0
  for (let looked = 0; open.length > 0; looked++) {
    const value = open.pop()
    if (typeof value === "string") length += value.length
    else if (typeof value === "object" && value !== null) {
      if (Array.isArray(value)) {
        if (value.length > few) return false
        for (const item of value) open.push(item)
      } else
        for (const name in value) {
          length += name.length
          open.push((value as Readonly<Record<string, unknown>>)[name])
          if (open.length > 2 * few) return false
        }
    }
    if (looked > few || length > writtenAtOnce) return false
  }
  return true
}

/** An open container, and its remaining members. */
interface Open {
  readonly value: object
  readonly names: readonly string[] | undefined
  next: number
  isFirst: boolean
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00

/** The ends of the pieces of a long string; no end splits a surrogate pair. */
const cutBefore = (text: string, end: number): number =>
  end < text.length && isHighSurrogate(text.charCodeAt(end - 1)) ? end - 1 : end

/** Whether a value tells its JSON form itself. */
const hasForm = (value: unknown): value is { readonly toJSON: (key: string) => unknown } =>
  typeof value === "object" && value !== null && "toJSON" in value && typeof value.toJSON === "function"

/** The JSON form of a value, as `JSON.stringify` asks for it, and nothing for values without one in JSON. */
const writable = (value: unknown, key: string | number): unknown => {
  const form = hasForm(value) ? value.toJSON(`${key}`) : value
  return typeof form === "function" || typeof form === "symbol" ? undefined : form
}

/**
 * Serializes a value as JSON in pieces, each in a step of its own, so that a text of many MiB does not block other requests.
 *
 * The joined pieces equal the output of `JSON.stringify`, also for hosts' own values.
 *
 * Pieces of a value's JSON. Other requests may run between two of them.
 */
export function* jsonPieces(root: unknown): Generator<string, void> {
  if (isShort(root)) {
    yield JSON.stringify(root) ?? "null"
    return
  }
  const open: Open[] = []
  let piece = ""
  let value = writable(root, "")
  for (;;) {
    if (typeof value === "string" && value.length > writtenAtOnce) {
      piece += '"'
      for (let from = 0; from < value.length;) {
        const to = cutBefore(value, Math.min(from + writtenAtOnce, value.length))
        yield piece + JSON.stringify(value.slice(from, to)).slice(1, -1)
        piece = ""
        from = to
      }
      piece = '"'
    } else if (typeof value === "object" && value !== null) {
      if (open.length === maxDepth) throw new RangeError("nested too deep")
      const isArray = Array.isArray(value)
      open.push({ value, names: isArray ? undefined : Object.keys(value), next: 0, isFirst: true })
      piece += isArray ? "[" : "{"
    } else piece += JSON.stringify(value) ?? "null"

    // The next member, of the innermost container with any left.
    for (;;) {
      const inner = open.at(-1)
      if (inner === undefined) {
        yield piece
        return
      }
      const { names } = inner
      const at = inner.next++
      if (at >= (names ?? (inner.value as readonly unknown[])).length) {
        piece += names === undefined ? "]" : "}"
        open.pop()
        continue
      }
      const name = names?.[at]
      value = writable(Reflect.get(inner.value, name ?? at), name ?? at)
      if (name !== undefined && value === undefined) continue
      if (!inner.isFirst) piece += ","
      inner.isFirst = false
      if (name !== undefined) piece += `${JSON.stringify(name)}:`
      break
    }
    if (piece.length >= writtenAtOnce) {
      yield piece
      piece = ""
    }
  }
}

const utf8 = new TextEncoder()

/** Pieces of its UTF-8, each about the size of one socket write. */
export function* jsonBytes(value: unknown): Generator<void, readonly Uint8Array[]> {
  const pieces: Uint8Array[] = []
  let parts: Uint8Array[] = []
  let size = 0
  for (const piece of jsonPieces(value)) {
    const bytes = utf8.encode(piece)
    parts.push(bytes)
    size += bytes.length
    if (size >= writtenAtOnce) {
      pieces.push(joinBytes(parts))
      parts = []
      size = 0
    }
    yield
  }
  if (size > 0) pieces.push(joinBytes(parts))
  return pieces
}

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
