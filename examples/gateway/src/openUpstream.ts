/** One attempt: a request to one upstream, up to the point from which its answer can no longer be given by another. */
import type { IncomingMessage } from "node:http"
import { type Dialect, type Fields, isFields } from "./dialects/Dialect.ts"
import { GaveUp, post, readWhole } from "./post.ts"
import { readEvents } from "./readEvents.ts"
import type { Upstream } from "./Upstream.ts"

export type Opened =
  | { readonly kind: "complete"; readonly answer: Fields }
  /** Its first event has come, and is no error. */
  | { readonly kind: "stream"; readonly events: AsyncGenerator<string>; readonly abort: () => void }
  | Failure

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
}

const defaultSilence = 60_000

/** No answer of a chat is longer, in bytes. */
const longestAnswer = 67_108_864

/** What of an error's text is passed on, in characters. */
const longestMessage = 2000

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

const secondsOf = (header: string | undefined): number | null => {
  const seconds = header === undefined ? Number.NaN : Number(header)
  return Number.isFinite(seconds) && seconds >= 0 ? Math.ceil(seconds) : null
}

async function* startingWith(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}

const openStream = async (response: IncomingMessage, { isFailure }: Dialect): Promise<Opened> => {
  const events = readEvents(response)
  const { value: first } = await events.next()
  const opening = first === undefined ? undefined : readObject(first)
  if (first !== undefined && opening !== undefined && !isFailure(opening))
    return { kind: "stream", events: startingWith(first, events), abort: () => response.destroy() }
  response.destroy()
  return failed(null, opening === undefined ? null : messageOf(first ?? ""))
}

export interface Opening {
  readonly dialect: Dialect
  readonly headers: Readonly<Record<string, string>>
  readonly body: Fields
  readonly signal: AbortSignal
}

export const openUpstream = async (
  upstream: Upstream,
  { dialect, headers: sent, body, signal }: Opening
): Promise<Opened> => {
  // After the head of a 200 the upstream is at work, and may bill for it.
  let isAnswering = false
  try {
    const response = await post(`${upstream.base_url}${dialect.path}`, {
      headers: sent,
      body: JSON.stringify(body),
      silence_ms: upstream.timeout_ms ?? defaultSilence,
      signal
    })
    const { statusCode: status = 0, headers } = response
    if (status < 200 || status > 299)
      return failed(status, messageOf(await readWhole(response, longestAnswer)), {
        retry_after: secondsOf(headers["retry-after"])
      })
    isAnswering = true
    if (body["stream"] === true) return await openStream(response, dialect)
    const text = await readWhole(response, longestAnswer)
    const answer = readObject(text)
    const isAnswer = answer !== undefined && !dialect.isFailure(answer) && dialect.isAnswer(answer)
    return isAnswer ? { kind: "complete", answer } : failed(null, messageOf(text))
  } catch (cause) {
    const { code } = cause as { readonly code?: unknown }
    return failed(null, typeof code === "string" ? `No answer (${code})` : null, {
      given_up: isAnswering || signal.aborted || cause instanceof GaveUp
    })
  }
}
