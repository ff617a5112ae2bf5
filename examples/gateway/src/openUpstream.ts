/** One attempt: a request to one upstream, up to the point from which its answer can no longer be given by another. */
import { readEvents } from "./readEvents.ts"
import type { Upstream } from "./Upstream.ts"

export type Opened =
  | { readonly kind: "complete"; readonly answer: Readonly<Record<string, unknown>> }
  /** Its first event has come, and is no error. */
  | { readonly kind: "stream"; readonly events: AsyncGenerator<string>; readonly abort: () => void }
  /** `status` is `null` when there was no answer, or none that can be read. */
  | { readonly kind: "failed"; readonly status: number | null; readonly message: string | null }

const defaultTimeout = 60_000

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const readObject = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Some send `null` where all is well. */
export const isError = (answer: Readonly<Record<string, unknown>>): boolean => (answer["error"] ?? null) !== null

const failed = (status: number | null, message: string | null = null): Opened => ({ kind: "failed", status, message })

const messageOf = (answer: Readonly<Record<string, unknown>> | undefined): string | null => {
  const error = answer?.["error"]
  return isObject(error) && typeof error["message"] === "string" ? error["message"] : null
}

async function* startingWith(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  yield first
  yield* rest
}

/** `left` is the client's: aborted, nobody waits for the answer any more. */
export const openUpstream = async (
  upstream: Upstream,
  key: string,
  body: Readonly<Record<string, unknown>>,
  left: AbortSignal
): Promise<Opened> => {
  const attempt = new AbortController()
  const abort = () => attempt.abort()
  const timer = setTimeout(abort, upstream.timeout_ms ?? defaultTimeout)
  left.addEventListener("abort", abort, { once: true })
  if (left.aborted) abort()
  try {
    const response = await fetch(`${upstream.base_url}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify(body),
      // What was admitted is this provider, not where it points.
      redirect: "error",
      signal: attempt.signal
    })
    if (!response.ok) return failed(response.status, messageOf(readObject(await response.text())))
    if (body["stream"] !== true) {
      const answer = readObject(await response.text())
      const isAnswer = answer !== undefined && !isError(answer) && Array.isArray(answer["choices"])
      return isAnswer ? { kind: "complete", answer } : failed(null)
    }
    if (response.body === null) return failed(null)
    const events = readEvents(response.body)
    const { value: first } = await events.next()
    const opening = first === undefined ? undefined : readObject(first)
    if (first === undefined || opening === undefined || isError(opening)) {
      abort()
      return failed(null)
    }
    return { kind: "stream", events: startingWith(first, events), abort }
  } catch {
    return failed(null)
  } finally {
    clearTimeout(timer)
    left.removeEventListener("abort", abort)
  }
}
