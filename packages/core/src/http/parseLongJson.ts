/**
 * Reads a long JSON text as `parseJson` does, in steps of about a millisecond between which others have their turn.
 *
 * A text of 32 MiB takes a second of processor time. The scanner works in steps by itself; then the value is built of parts that
 * `JSON.parse` reads one at a time: runs of members, and what is longer than a run member by member.
 */
import { inSlices } from "../contentFilter/inSlices.ts"
import { findProblem, firstInvalidByte, type ParsedJson } from "./parseJson.ts"

/** Texts up to this many bytes, 64 KiB, are read at once. */
export const longJsonSize = 65_536

/** An object with more members than anybody writes takes the engine a second to copy, in one step. */
export const maxJsonMembers = 5_000

/** Bytes that are decoded, and UTF-16 code units that are built, in one step. */
const decodedAtOnce = 1_048_576
const builtAtOnce = 32_768

/** `maxValues`: how many objects, arrays and other values the text may hold. */
export const parseLongJson = (bytes: Uint8Array, maxValues: number) => inSlices(parsing(bytes, maxValues))

export function* parsing(bytes: Uint8Array, maxValues: number): Generator<void, ParsedJson> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true })
  const parts: string[] = []
  for (let at = 0; at < bytes.length; at += decodedAtOnce) {
    const piece = bytes.subarray(at, at + decodedAtOnce)
    try {
      parts.push(decoder.decode(piece, { stream: at + decodedAtOnce < bytes.length }))
    } catch {
      // A character that began in the piece before is whole only together with it.
      const start = at === 0 ? 0 : at - 4 + firstBoundary(bytes.subarray(at - 4))
      const near = start + firstInvalidByte(bytes.subarray(start, at + decodedAtOnce + 4))
      return { ok: false, code: "invalid_utf8", path: "", message: `Not valid UTF-8 near byte ${near}` }
    }
    yield
  }
  const text = parts.join("")
  yield
  const problem = yield* findProblem(bytes, text, maxValues, maxJsonMembers)
  if (problem !== undefined) return problem
  try {
    const [value] = yield* build(text, skipBlank(text, 0))
    return { ok: true, value }
  } catch {
    // As in `parseJson`: only a runtime with limits of its own gets here.
    return { ok: false, code: "invalid_json", path: "", message: "Not valid JSON" }
  }
}

/** How many bytes belong to a character that began before. */
const firstBoundary = (bytes: Uint8Array): number => {
  const index = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80)
  return index === -1 ? 0 : index
}

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** A value of a text that is known to be JSON, and the index behind it. */
type Built = readonly [value: unknown, end: number]

function* build(text: string, at: number): Generator<void, Built> {
  const first = text.charCodeAt(at)
  if (first === quote) return yield* buildString(text, at)
  const end = endOfValue(text, at, at + builtAtOnce)
  if (end !== undefined) return [JSON.parse(text.slice(at, end)), end]
  if (first === openBracket || first === openBrace) return yield* buildContainer(text, at, first === openBrace)
  // A number with more digits than anybody can use.
  const behind = endOfValue(text, at, Infinity) ?? text.length
  return [JSON.parse(text.slice(at, behind)), behind]
}

function* buildContainer(text: string, at: number, isObject: boolean): Generator<void, Built> {
  const items: unknown[] = []
  const members: Record<string, unknown> = {}
  const close = isObject ? closeBrace : closeBracket
  /** Takes the members from one index to another, which lie between two commas. */
  const take = (from: number, to: number): void => {
    if (from === to) return
    const run = text.slice(from, to)
    if (isObject) addMembers(members, JSON.parse(`{${run}}`) as Record<string, unknown>)
    else for (const item of JSON.parse(`[${run}]`) as readonly unknown[]) items.push(item)
  }
  const built = (end: number): Built => [isObject ? members : items, end]

  let run = skipBlank(text, at + 1)
  let runEnd = run
  let member = run
  for (;;) {
    if (text.charCodeAt(member) === close) return built(member + 1)
    const limit = run + builtAtOnce
    let end = isObject ? endOfMember(text, member, limit) : endOfValue(text, member, limit)
    if (end === undefined) {
      yield
      take(run, runEnd)
      if (member === run) {
        // It is longer than a run all by itself.
        let [key, from]: Built = ["", member]
        if (isObject) {
          ;[key, from] = yield* buildString(text, member)
          from = skipBlank(text, skipBlank(text, from) + 1)
        }
        const [value, behind] = yield* build(text, from)
        if (isObject) addMembers(members, Object.fromEntries([[key as string, value]]))
        else items.push(value)
        end = behind
        run = runEnd = end
      } else {
        run = runEnd = member
        continue
      }
    } else runEnd = end
    const next = skipBlank(text, end)
    if (text.charCodeAt(next) !== comma) {
      take(run, runEnd)
      return built(next + 1)
    }
    member = skipBlank(text, next + 1)
    // What comes next is the first of a run where nothing waits to be taken.
    if (run === runEnd) run = runEnd = member
  }
}

/** As own properties, whatever their names are. */
const addMembers = (to: Record<string, unknown>, from: Record<string, unknown>): void => {
  for (const name of Object.keys(from)) {
    const value = from[name]
    if (name === "__proto__")
      Object.defineProperty(to, name, { value, enumerable: true, configurable: true, writable: true })
    else to[name] = value
  }
}

function* buildString(text: string, at: number): Generator<void, readonly [value: string, end: number]> {
  const parts: string[] = []
  for (let from = at + 1; ;) {
    const to = endOfCharacters(text, from, from + builtAtOnce)
    parts.push(JSON.parse(`"${text.slice(from, to)}"`) as string)
    if (text.charCodeAt(to) === quote) return [parts.length === 1 ? (parts[0] ?? "") : parts.join(""), to + 1]
    from = to
    yield
  }
}

/** The index of the quote that ends a string, or of the first character that begins at `limit` or later. */
const endOfCharacters = (text: string, from: number, limit: number): number => {
  let at = from
  while (at < limit) {
    const unit = text.charCodeAt(at)
    if (unit === quote) return at
    if (unit !== backslash) at++
    else at += text.charCodeAt(at + 1) === 0x75 ? 6 : 2
  }
  return at
}

/** The index behind a value; undefined when it ends at `limit` or later. */
const endOfValue = (text: string, from: number, limit: number): number | undefined => {
  let depth = 0
  let at = from
  do {
    if (at >= limit) return undefined
    const unit = text.charCodeAt(at)
    if (unit === quote) {
      at = endOfCharacters(text, at + 1, limit)
      if (text.charCodeAt(at) !== quote) return undefined
      at++
    } else if (unit === openBracket || unit === openBrace) {
      depth++
      at++
    } else if (unit === closeBracket || unit === closeBrace) {
      depth--
      at++
    } else if (depth === 0) {
      at = endOfWord(text, at, limit)
      if (at >= limit && at < text.length) return undefined
    } else at++
  } while (depth > 0)
  return at
}

/** The index behind a number or a literal. */
const endOfWord = (text: string, from: number, limit: number): number => {
  let at = from
  while (at < limit && at < text.length) {
    const unit = text.charCodeAt(at)
    if (unit <= 0x20 || unit === comma || unit === closeBracket || unit === closeBrace) break
    at++
  }
  return at
}

/** The index behind a key and its value. */
const endOfMember = (text: string, from: number, limit: number): number | undefined => {
  const key = endOfCharacters(text, from + 1, limit)
  if (text.charCodeAt(key) !== quote) return undefined
  return endOfValue(text, skipBlank(text, skipBlank(text, key + 1) + 1), limit)
}

const filled = /[^ \n\r\t]/g

const skipBlank = (text: string, from: number): number => {
  // Mostly there is nothing to skip, and a long stretch is skipped by the engine.
  if (!(text.charCodeAt(from) <= 0x20)) return from
  filled.lastIndex = from
  return filled.exec(text)?.index ?? text.length
}
