/**
 * One request to another service: bounded in time and in the size of its answer, never redirected, part of the trace that
 * it is made in.
 *
 * A `fetch` is handed in, so that a platform decides what may be reached and tests what is there.
 */
import { type Context, Data, Effect, Stream } from "effect"
import { isTraced } from "../tracing/isTraced.ts"
import { traceHeaders } from "../tracing/traceHeaders.ts"
import type { Fetch } from "./Fetch.ts"
import { joinBytes } from "../value/joinBytes.ts"

export interface SentRequest {
  readonly url: string
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | SentStream
  /** From connecting to the last byte of the answer. */
  readonly timeoutMillis: number
  /** Of the answer's body. */
  readonly maxBytes: number
}

/** A body that is sent while it is read. */
export interface SentStream {
  readonly bytes: Stream.Stream<Uint8Array>
  readonly length: number
}

export interface ReceivedAnswer {
  readonly status: number
  readonly body: Uint8Array
}

/** No answer, no whole one in time, or one too large. Why is not told: the cause may name what the answer is not to. */
export class RequestFailed extends Data.TaggedError("RequestFailed")<{}> {}

export const sendRequest = (fetch: Fetch, request: SentRequest): Effect.Effect<ReceivedAnswer, RequestFailed> =>
  Effect.contextWith((context: Context.Context<never>) => {
    if (!isTraced(context)) return send(fetch, request)
    const attributes = { "http.request.method": request.method, "server.address": new URL(request.url).hostname }
    return Effect.useSpan(request.method, { kind: "client", attributes }, (span) =>
      Effect.tap(send(fetch, { ...request, headers: { ...request.headers, ...traceHeaders(span) } }), ({ status }) =>
        Effect.sync(() => span.attribute("http.response.status_code", status))
      )
    )
  })

const send = (fetch: Fetch, request: SentRequest): Effect.Effect<ReceivedAnswer, RequestFailed> =>
  Effect.tryPromise({
    try: async (interrupted) => {
      const signal = AbortSignal.any([interrupted, AbortSignal.timeout(request.timeoutMillis)])
      const response = await fetch(request.url, {
        method: request.method,
        ...sentBody(request),
        redirect: "manual",
        signal
      })
      return { status: response.status, body: await readBody(response, request.maxBytes) }
    },
    catch: () => new RequestFailed()
  })

const sentBody = ({ headers = {}, body }: SentRequest) => {
  if (body === undefined) return { headers }
  if (body instanceof Uint8Array) return { headers, body: body as Uint8Array<ArrayBuffer> }
  return {
    headers: { ...headers, "content-length": String(body.length) },
    // Nothing is read ahead of what is sent.
    body: Stream.toReadableStream(body.bytes, { strategy: { highWaterMark: 0 } }),
    duplex: "half" as const
  }
}

const readBody = async (response: Response, maxBytes: number): Promise<Uint8Array> => {
  const parts: Uint8Array[] = []
  let size = 0
  if (response.body !== null) {
    const reader: ReadableStreamDefaultReader<Uint8Array> = response.body.getReader()
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      size += read.value.length
      if (size > maxBytes) {
        await reader.cancel()
        throw new RequestFailed()
      }
      parts.push(read.value)
    }
  }
  return joinBytes(parts)
}
