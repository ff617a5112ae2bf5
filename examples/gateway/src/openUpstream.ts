/** One attempt: a request to one upstream, up to the point from which its answer can no longer be given by another. */
import type { TokenUsage } from "@gatewarden/core"
import { GatheredBytes, maxShortBytes } from "@gatewarden/core/effect"
import { NoRoom, type Room, weigh } from "./AnswerRoom.ts"
import { type Dialect, type Fields, filledIn, isFields } from "./dialects/Dialect.ts"
import { ListInObject } from "./ListInObject.ts"
import { GaveUp, readStart, readWhole, type Received, type Send } from "./post.ts"
import { readEvents } from "./readEvents.ts"
import type { Upstream } from "./Upstream.ts"

export type Opened =
  /** `text`: as it came. */
  | { readonly kind: "complete"; readonly answer: Fields; readonly text: string }
  /** Its first event has come, and is no error. */
  | { readonly kind: "stream"; readonly events: AsyncGenerator<string>; readonly abort: () => void }
  /** A list has begun in it, and it is long. */
  | { readonly kind: "list"; readonly list: PassedList }
  | Failure

/** A list that is passed on while it comes. */
export interface PassedList {
  readonly name: string
  readonly entries: AsyncIterable<Uint8Array>
  /** The answer with an empty list, once all entries have come. */
  readonly rest: () => Promise<Fields | undefined>
  readonly abort: () => void
}

export interface Failure {
  readonly kind: "failed"
  /** `null` when there was no answer, or none that can be read. */
  readonly status: number | null
  /** What it said of it. */
  readonly message: string | null
  /** Seconds to wait, where it said so. */
  readonly retry_after: number | null
  /** It was at work when the gateway hung up, or when the answer that it had begun broke off. */
  readonly given_up: boolean
  /** What it says that it used although it failed: it may bill for that. */
  readonly used: TokenUsage | null
  /** It answered what cannot be held, as no answer of another could be. */
  readonly no_room: boolean
}

const defaultSilence = 60_000

/** What of an error's text is passed on, in characters. */
const longestMessage = 2000

/** What of an error is read, in bytes. */
const longestError = 65_536

export const readObject = (text: string): Fields | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isFields(value) ? value : undefined
  } catch {
    return undefined
  }
}

const failed = (status: number | null, message: string | null = null, more: Partial<Failure> = {}): Failure => ({
  retry_after: null,
  given_up: false,
  used: null,
  no_room: false,
  ...more,
  kind: "failed",
  status,
  message
})

/** The text of an error, wherever this upstream has it: OpenAI's form, `{ "message": … }`, `{ "detail": … }`, or no JSON at all. */
const messageOf = (body: string): string | null => {
  const read = readObject(body)
  const error = read?.["error"] ?? read
  const said = isFields(error) ? (error["message"] ?? error["detail"]) : error
  const text = typeof said === "string" ? said : said === undefined ? body : JSON.stringify(said)
  return text.trim() === "" ? null : text.slice(0, longestMessage)
}

/**
 * A 200 without an answer that can be used. The provider may bill for it if it broke off, however its connection ended, and for tokens that
 * it counts.
 */
const failedWith = (said: Fields | undefined, body: string, { reported }: Dialect): Failure => {
  if (said === undefined) return failed(null, messageOf(body), { given_up: true })
  const used = { completion_tokens: 0, ...filledIn(reported(said, {}) ?? {}) }
  const isBilled = (used.prompt_tokens ?? 0) + used.completion_tokens > 0
  return failed(null, messageOf(body), isBilled ? { given_up: true, used } : {})
}

/** No client waits longer, in seconds. */
const longestWait = 86_400

const secondsOf = (header: string | undefined): number | null => {
  const seconds = header === undefined ? Number.NaN : Number(header)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.min(Math.ceil(seconds), longestWait) : null
}

/** No event without members is longer, in characters. */
const longestEmpty = 1_024

/** Whether an event has no members, such as `null`: some upstreams keep a connection with it. */
const isEmpty = (data: string): boolean => {
  if (data.length > longestEmpty || /^\s*[{[]/.test(data)) return false
  try {
    JSON.parse(data || "null")
    return true
  } catch {
    return false
  }
}

async function* withoutEmpty(events: AsyncGenerator<string>): AsyncGenerator<string> {
  for await (const data of events) if (!isEmpty(data)) yield data
}

async function* startingWith(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}

/** A body that takes no more than it may once it is read, in its turn. */
const counted = async (body: Uint8Array, room: Room): Promise<Uint8Array> => {
  await room.turn(body.length)
  await weigh(body, room)
  await room.turn(body.length)
  return body
}

async function* resumed(first: Uint8Array, rest: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield first
  for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value
}

const openingBrace = 0x7b

/** White space of JSON, and the bytes of a byte order mark: nothing of an event. */
const blank: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf])

/** The first piece with anything in it, from there on; an empty one at the end. Some keep a connection with empty lines. */
const firstInk = async (pieces: AsyncIterator<Uint8Array>, most: number, room: Room): Promise<Uint8Array> => {
  for (let passed = 0; passed <= most; passed++) {
    const { done, value } = await pieces.next()
    if (done === true) return new Uint8Array()
    await room.turn(value.length)
    const start = value.findIndex((byte) => !blank.has(byte))
    if (start !== -1) return value.subarray(start)
  }
  throw new Error("nothing without end")
}

/** Some answer a stream with one object, an error or all of an answer, which was bought though the client cannot be given it. */
const openObject = async (received: Received, dialect: Dialect, room: Room): Promise<Failure> => {
  const opened = openWhole(await counted(await readWhole(received, room), room), dialect)
  if (opened.kind !== "complete") return opened
  const said = failedWith(opened.answer, "", dialect)
  return { ...said, message: "A stream was asked for, and one object answered", given_up: true }
}

const openStream = async (
  received: Received,
  { dialect, room, mostEvents }: Pick<Opening, "dialect" | "room" | "mostEvents">
): Promise<Opened> => {
  const { abort } = received
  const iterator = received.pieces[Symbol.asyncIterator]()
  const begun = await firstInk(iterator, mostEvents, room)
  const pieces = resumed(begun, iterator)
  // No line of an event begins so, whatever the content type says.
  if (begun[0] === openingBrace) return openObject({ ...received, pieces }, dialect, room)
  const events = withoutEmpty(readEvents(pieces, room, mostEvents))
  const { value: first } = await events.next()
  const opening = first === undefined ? undefined : readObject(first)
  if (first !== undefined && opening !== undefined && !dialect.isFailure(opening))
    return { kind: "stream", events: startingWith(first, events), abort }
  abort()
  // It says that it is over, and nothing else.
  return first === "[DONE]" ? failed(null) : failedWith(opening, first ?? "", dialect)
}

/** Reads on until it is known whether the answer is long. */
const openList = async (received: Received, dialect: Dialect, name: string, room: Room): Promise<Opened> => {
  const found = new ListInObject(name)
  const all = new GatheredBytes()
  const begun = new GatheredBytes()
  const pieces = received.pieces[Symbol.asyncIterator]()
  for (;;) {
    const { done, value } = await pieces.next()
    if (done === true) return openWhole(await counted(all.take(), room), dialect)
    await room.turn(value.length)
    all.add(value)
    begun.add(found.push(value))
    if (found.hasBegun && all.size > maxShortBytes) break
  }
  async function* entries(): AsyncGenerator<Uint8Array> {
    yield begun.take()
    for (;;) {
      const { done, value } = await pieces.next()
      if (done === true) return
      await room.turn(value.length)
      const entry = found.push(value)
      if (entry.length > 0) yield entry
    }
  }
  const rest = async () => {
    const text = found.takeRest()
    await weigh(Buffer.from(text), room)
    return readObject(text)
  }
  return { kind: "list", list: { name, entries: entries(), rest, abort: received.abort } }
}

const openWhole = (body: Uint8Array, dialect: Dialect): Extract<Opened, { kind: "complete" }> | Failure => {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString("utf8")
  const answer = readObject(text)
  return answer !== undefined && !dialect.isFailure(answer) && dialect.isAnswer(answer)
    ? { kind: "complete", answer, text }
    : failedWith(answer, text, dialect)
}

export interface Opening {
  readonly dialect: Dialect
  readonly headers: Readonly<Record<string, string>>
  readonly body: Fields
  readonly signal: AbortSignal
  readonly room: Room
  /** How many events a stream may have. */
  readonly mostEvents: number
  readonly send: Send
}

export const openUpstream = async (
  upstream: Upstream,
  { dialect, headers, body, signal, room, mostEvents, send }: Opening
): Promise<Opened> => {
  // What cannot be written is no failure of whom it is for.
  const written = JSON.stringify(body)
  // After the head of a 200 the upstream is at work, and may bill for it.
  let isAnswering = false
  let received: Received | undefined
  // What another had answered is gone.
  room.keep(0)
  try {
    received = await send(`${upstream.base_url}${dialect.path}`, {
      headers,
      body: written,
      silence_ms: upstream.timeout_ms ?? defaultSilence,
      signal
    })
    const { status, retry_after } = received
    if (status < 200 || status > 299)
      return failed(status, messageOf(await readStart(received, longestError)), {
        retry_after: secondsOf(retry_after)
      })
    isAnswering = true
    if (body["stream"] === true) return await openStream(received, { dialect, room, mostEvents })
    if (dialect.list !== undefined) return await openList(received, dialect, dialect.list, room)
    return openWhole(await counted(await readWhole(received, room), room), dialect)
  } catch (cause) {
    // What is not read on would keep its connection.
    received?.abort()
    const { code } = cause as { readonly code?: unknown }
    return failed(null, typeof code === "string" ? `No answer (${code})` : null, {
      given_up: isAnswering || signal.aborted || cause instanceof GaveUp,
      no_room: cause instanceof NoRoom
    })
  }
}
