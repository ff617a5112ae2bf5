/**
 * Sends one request to another service, with limits on time and response size, without redirects, within the current trace.
 *
 * `fetch` is a parameter, so that a platform restricts addresses and tests replace the service.
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

/** A streamed body. */
export interface SentStream {
  readonly bytes: Stream.Stream<Uint8Array>
  readonly length: number
}

export interface ReceivedAnswer {
  readonly status: number
  readonly body: Uint8Array
}

/**
 * No response, an incomplete or late one, or one that is too large. Without a cause, because it may contain details that the answer must
 * not repeat.
 */
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
    // Reads no further than what was sent.
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
