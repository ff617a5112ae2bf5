/**
 * Serializes a value as JSON in pieces, each in a step of its own, so that a text of many MiB does not block other requests.
 *
 * The joined pieces equal the output of `JSON.stringify`, also for hosts' own values.
 */
import { joinBytes } from "./joinBytes.ts"

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

/** The JSON form of a value: the result of its `toJSON`, and nothing for values without one in JSON. */
const writable = (value: unknown): unknown => {
  if (typeof value === "function" || typeof value === "symbol") return undefined
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value
  const { toJSON } = value as { readonly toJSON?: unknown }
  return typeof toJSON === "function" ? writable(toJSON.call(value, "")) : value
}

/** Pieces of a value's JSON. Other requests may run between two of them. */
export function* jsonPieces(root: unknown): Generator<string, void> {
  if (isShort(root)) {
    yield JSON.stringify(root) ?? "null"
    return
  }
  const open: Open[] = []
  let piece = ""
  let value = writable(root)
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
      value = writable(Reflect.get(inner.value, name ?? at))
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
