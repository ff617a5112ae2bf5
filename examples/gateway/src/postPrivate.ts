/**
 * A POST to an address that an account chose, through the server's `fetch` for such addresses: it connects to public addresses alone and
 * follows no redirect. No connection is kept, so that a request is never sent twice.
 */
import type { Served } from "@gatewarden/node"
import { GaveUp, type Send } from "./post.ts"

const utf8 = new TextEncoder()

export const postPrivate =
  (fetch: Served["outgoing"]): Send =>
  async (address, { headers, body, silence_ms, signal }) => {
    const ending = new AbortController()
    const abort = () => ending.abort()
    // Silence is that of the other side: no time counts while nobody reads.
    let silence: NodeJS.Timeout | undefined
    const whileWaiting = async <Result>(waiting: Promise<Result>): Promise<Result> => {
      silence = setTimeout(abort, silence_ms)
      try {
        return await waiting
      } catch (cause) {
        throw ending.signal.aborted ? new GaveUp() : cause
      } finally {
        clearTimeout(silence)
      }
    }
    const over = () => {
      signal.removeEventListener("abort", abort)
      abort()
    }
    if (signal.aborted) throw new GaveUp()
    signal.addEventListener("abort", abort, { once: true })

    const piecesOf = async function* (answer: Response): AsyncGenerator<Uint8Array> {
      const reader = answer.body?.getReader()
      try {
        for (;;) {
          const { done, value } = (await (reader && whileWaiting(reader.read()))) ?? { done: true }
          if (done || value === undefined) return
          yield value
        }
      } finally {
        over()
      }
    }

    try {
      const answer = await whileWaiting(
        fetch(address, {
          method: "POST",
          headers: { ...headers, "content-type": "application/json" },
          body: utf8.encode(body),
          redirect: "manual",
          signal: ending.signal
        })
      )
      return {
        status: answer.status,
        retry_after: answer.headers.get("retry-after") ?? undefined,
        announced: Number(answer.headers.get("content-length") ?? 0),
        pieces: piecesOf(answer),
        abort: over
      }
    } catch (cause) {
      over()
      throw cause
    }
  }
