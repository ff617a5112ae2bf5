/**
 * Parses a long JSON text as `parseJson` does, in steps of about a millisecond between which other requests run.
 *
 * A text of 32 MiB takes a second of processor time. The scanner works in steps by itself; then the value is built of parts that
 * `JSON.parse` reads one at a time: runs of members, and what is longer than a run member by member.
 */
import { Effect } from "effect"
import { inSlices, type Step } from "./inSlices.ts"
import {
  findProblem,
  firstInvalidByte,
  isBlank,
  type JsonProblem,
  parseJson,
  type ParsedJson,
  notRead,
  repaired,
  skipBlank
} from "./parseJson.ts"

/** Texts up to this many bytes, 64 KiB, are read at once. */
export const longJsonSize = 65_536

/** The maximum number of members: the engine takes a second to copy a much larger object, in one step. */
const maxJsonMembers = 5_000

/**
 * Bytes of memory, 16 MiB, that one string may take: the engine makes a string in one step, 0.6 ms a MiB. A character takes one byte,
 * two where the string has any beyond U+00FF.
 */
const maxStringBytes = 16_777_216

/** Bytes that are decoded, and that are built, in one step. */
const decodedAtOnce = 262_144
const builtAtOnce = 32_768

/** `maxValues`: how many objects, arrays and other values the text may hold; `longest`: bytes of memory that one string may take. */
export const parseLongJson = (bytes: Uint8Array, maxValues: number, repairs = false, longest = maxStringBytes) =>
  inSlices(parsing(bytes, maxValues, repairs, longest))

/** For a host that reads bodies of its own paths: the rules of `parseJson`, and slices for what is long. */
export const parseBody = (bytes: Uint8Array, maxValues: number): ParsedJson | Promise<ParsedJson> =>
  bytes.length <= longJsonSize
    ? parseJson(bytes)
    : Effect.runPromise(parseLongJson(bytes, maxValues, false, Number.POSITIVE_INFINITY))

export function* parsing(
  submitted: Uint8Array,
  maxValues: number,
  repairs = false,
  longest = maxStringBytes
): Generator<Step, ParsedJson> {
  let bytes = submitted
  const decoder = new TextDecoder("utf-8", { fatal: true })
  let length = 0
  for (let at = 0; at < bytes.length; at += decodedAtOnce) {
    const piece = bytes.subarray(at, at + decodedAtOnce)
    try {
      length += decoder.decode(piece, { stream: at + decodedAtOnce < bytes.length }).length
    } catch {
      // A character that began in the piece before is whole only together with it.
      const start = at === 0 ? 0 : at - 4 + firstBoundary(bytes.subarray(at - 4))
      const near = start + firstInvalidByte(bytes.subarray(start, at + decodedAtOnce))
      return { ok: false, code: "invalid_utf8", path: "", message: `Not valid UTF-8 near byte ${near}` }
    }
    yield
  }
  // One text would be one block of memory, which takes the engine up to 40 ms to allocate.
  let problem = yield* findProblem(bytes, undefined, length, maxValues, maxJsonMembers)
  if (repairs && problem !== undefined) {
    bytes = yield* repaired(bytes)
    problem = yield* findProblem(bytes, undefined, length, maxValues, maxJsonMembers)
  }
  if (problem !== undefined) return problem
  try {
    let at = 0
    while (isBlank(bytes[(at = skipBlank(bytes, at))])) yield
    const [value] = yield* build(bytes, at, longest)
    return { ok: true, value }
  } catch (cause) {
    return cause instanceof TooLongString ? tooLongString : notRead
  }
}

class TooLongString extends Error {}

const tooLongString: JsonProblem = {
  ok: false,
  code: "too_long_string",
  path: "",
  message: `A string of more than ${maxStringBytes} characters, or of more than ${maxStringBytes / 2} with any beyond U+00FF`
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true })

/** What bytes say that are known to be UTF-8. */
const textOf = (bytes: Uint8Array, from: number, to: number): string => utf8.decode(bytes.subarray(from, to))

/** How many bytes belong to a character that began before. */
const firstBoundary = (bytes: Uint8Array): number => bytes.findIndex((byte) => !isWithinCharacter(byte))

/** Not the first byte of a character. */
const isWithinCharacter = (byte = 0): boolean => (byte & 0xc0) === 0x80

// oxlint-disable-next-line no-control-regex
const beyondLatin1 = /[^\u0000-\u00ff]/

/** UTF-16 code units that are made one string within a step. */
const joinedAtOnce = 1_048_576

const quote = 0x22
const comma = 0x2c
const backslash = 0x5c
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d

/** A value of a text that is known to be JSON, and the index behind it. */
type Built = readonly [value: unknown, end: number]

function* build(bytes: Uint8Array, at: number, longest: number): Generator<Step, Built> {
  if (bytes[at] === quote) return yield* buildString(bytes, at, longest)
  const end = endOfValue(bytes, at, at + builtAtOnce)
  return end === undefined ? yield* buildContainer(bytes, at, longest) : [JSON.parse(textOf(bytes, at, end)), end]
}

function* buildContainer(bytes: Uint8Array, at: number, longest: number): Generator<Step, Built> {
  const items: unknown[] = []
  const members: Record<string, unknown> = {}
  const isObject = bytes[at] === openBrace
  const close = isObject ? closeBrace : closeBracket
  /** Takes the members from one index to another, which lie between two commas. */
  const take = (from: number, to: number): void => {
    const run = textOf(bytes, from, to)
    if (isObject) addMembers(members, JSON.parse(`{${run}}`) as Record<string, unknown>)
    else for (const item of JSON.parse(`[${run}]`) as readonly unknown[]) items.push(item)
  }
  const built = (end: number): Built => [isObject ? members : items, end]

  let run = at + 1
  while (isBlank(bytes[(run = skipBlank(bytes, run))])) yield
  let runEnd = run
  let member = run
  for (;;) {
    if (bytes[member] === close) return built(member + 1)
    const limit = run + builtAtOnce
    let end = isObject ? endOfMember(bytes, member, limit) : endOfValue(bytes, member, limit)
    if (end === undefined) {
      yield
      take(run, runEnd)
      // The member that is beyond a run may itself be longer than one.
      if (isObject) {
        let [key, from] = yield* buildString(bytes, member, longest)
        while (isBlank(bytes[(from = skipBlank(bytes, from))])) yield
        from++
        while (isBlank(bytes[(from = skipBlank(bytes, from))])) yield
        const [value, behind] = yield* build(bytes, from, longest)
        addMembers(members, Object.fromEntries([[key, value]]))
        end = behind
      } else {
        const [value, behind] = yield* build(bytes, member, longest)
        items.push(value)
        end = behind
      }
      run = end
    }
    runEnd = end
    let next = end
    while (isBlank(bytes[(next = skipBlank(bytes, next))])) yield
    if (bytes[next] !== comma) {
      take(run, runEnd)
      return built(next + 1)
    }
    member = next + 1
    while (isBlank(bytes[(member = skipBlank(bytes, member))])) yield
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

function* buildString(
  bytes: Uint8Array,
  at: number,
  longest: number
): Generator<Step, readonly [value: string, end: number]> {
  const parts: string[] = []
  let length = 0
  let isWide = false
  for (let from = at + 1; ;) {
    const to = endOfCharacters(bytes, from, from + builtAtOnce)
    const part = JSON.parse(`"${textOf(bytes, from, to)}"`) as string
    parts.push(part)
    length += part.length
    isWide ||= beyondLatin1.test(part)
    if (length * (isWide ? 2 : 1) > longest) throw new TooLongString()
    if (bytes[to] === quote) {
      if (length > joinedAtOnce) yield "long"
      return [parts.join(""), to + 1]
    }
    from = to
    yield
  }
}

/** The index of the quote that ends a string, or of the first character that begins at `limit` or later. */
const endOfCharacters = (bytes: Uint8Array, from: number, limit: number): number => {
  let at = from
  while (at < limit) {
    const unit = bytes[at]
    if (unit === quote) return at
    if (unit !== backslash) at++
    else at += bytes[at + 1] === 0x75 ? 6 : 2
  }
  while (isWithinCharacter(bytes[at])) at++
  return at
}

/** The index behind a value; undefined when it ends at `limit` or later. */
const endOfValue = (bytes: Uint8Array, from: number, limit: number): number | undefined => {
  let depth = 0
  let at = from
  do {
    if (at >= limit) return undefined
    const unit = bytes[at]
    if (unit === quote) {
      at = endOfCharacters(bytes, at + 1, limit)
      if (bytes[at] !== quote) return undefined
      at++
    } else if (unit === openBracket || unit === openBrace) {
      depth++
      at++
    } else if (unit === closeBracket || unit === closeBrace) {
      depth--
      at++
    } else if (depth === 0) {
      at = endOfWord(bytes, at)
    } else at++
  } while (depth > 0)
  return at
}

/** The index behind a number or a literal. */
const endOfWord = (bytes: Uint8Array, from: number): number => {
  let at = from
  while (at < bytes.length) {
    const unit = bytes[at] as number
    if (unit <= 0x20 || unit === comma || unit === closeBracket || unit === closeBrace) break
    at++
  }
  return at
}

/** The index behind a key and its value. */
const endOfMember = (bytes: Uint8Array, from: number, limit: number): number | undefined => {
  const key = endOfCharacters(bytes, from + 1, limit)
  const colon = skipBlank(bytes, key + 1)
  return endOfValue(bytes, skipBlank(bytes, colon + 1), limit)
}
