/**
 * Sends one request to another service, with limits on time and response size, without redirects, within the current trace.
 *
 * `fetch` is a parameter, so that a platform restricts addresses and tests replace the service.
 */
import { type Context, Data, Effect, Stream } from "effect"
import { isTraced } from "../tracing/operation.ts"
import { traceHeaders } from "../tracing/traceContext.ts"
import type { Fetch } from "./Fetch.ts"
import { GatheredBytes } from "../value/bytes.ts"

export interface SentRequest {
  readonly url: string
  readonly method: "GET" | "POST" | "PUT" | "DELETE"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: Uint8Array | SentStream
  /** From connecting to the last byte of the answer. */
  readonly timeoutMillis: number
  /** Of the answer's body. */
  readonly maxBytes: number
  /** See `Fetch`. */
  readonly connectionsOf?: string
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
  spanned(request, (sent) =>
    attempt(async (interrupted) => {
      const { signal, abort, end } = limitedTo(sent.timeoutMillis)
      interrupted.addEventListener("abort", abort)
      try {
        const response = await fetchOnce(fetch, sent, signal)
        return { status: response.status, body: await readBody(response, sent.maxBytes) }
      } finally {
        end()
      }
    })
  )

export interface OpenedRequest extends SentRequest {
  /** To the status of the answer. */
  readonly timeoutMillis: number
  /** From connecting to the last byte of the answer. */
  readonly wholeTimeoutMillis: number
}

export interface OpenedAnswer {
  readonly status: number
  readonly headers: Headers
  /** Reads no further than it is read, and fails where the rest is late, too large, or does not come. Cancelling it ends the request. */
  readonly body: ReadableStream<Uint8Array>
}

/** The same, answered as soon as the status is known, with the body while it arrives. */
export const openRequest = (fetch: Fetch, request: OpenedRequest): Effect.Effect<OpenedAnswer, RequestFailed> =>
  spanned(request, (sent) =>
    Effect.timeoutOrElse(
      attempt(async (interrupted) => {
        const { signal, abort, end } = limitedTo(request.wholeTimeoutMillis)
        interrupted.addEventListener("abort", abort)
        const response = await fetchOnce(fetch, sent, signal).catch((cause: unknown) => {
          end()
          throw cause
        })
        const pieces = piecesOf(response, sent.maxBytes)
        const body = new ReadableStream<Uint8Array>(
          {
            pull: async (controller) => {
              try {
                const { done, value } = await pieces.next()
                if (done !== true) return controller.enqueue(value)
                end()
                controller.close()
              } catch (cause) {
                end()
                throw cause
              }
            },
            cancel: () => {
              end()
              abort()
            }
          },
          { highWaterMark: 0 }
        )
        return { status: response.status, headers: response.headers, body }
      }),
      { duration: request.timeoutMillis, orElse: () => Effect.fail(new RequestFailed()) }
    )
  )

/** What ends a request after so long. `AbortSignal.any` of two signals takes five times as long. */
const limitedTo = (millis: number) => {
  const controller = new AbortController()
  const abort = () => controller.abort()
  const timer = setTimeout(abort, millis)
  return { signal: controller.signal, abort, end: () => clearTimeout(timer) }
}

const attempt = <A>(run: (interrupted: AbortSignal) => Promise<A>): Effect.Effect<A, RequestFailed> =>
  Effect.tryPromise({ try: run, catch: () => new RequestFailed() })

/** A request within a span of its own, if there are any. */
const spanned = <R extends SentRequest, A extends { readonly status: number }>(
  request: R,
  send: (request: R) => Effect.Effect<A, RequestFailed>
): Effect.Effect<A, RequestFailed> =>
  Effect.contextWith((context: Context.Context<never>) => {
    if (!isTraced(context)) return send(request)
    const attributes = { "http.request.method": request.method, "server.address": new URL(request.url).hostname }
    return Effect.useSpan(request.method, { kind: "client", attributes }, (span) =>
      Effect.tap(send({ ...request, headers: { ...request.headers, ...traceHeaders(span) } }), ({ status }) =>
        Effect.sync(() => span.attribute("http.response.status_code", status))
      )
    )
  })

/** Ends with its signal, also where `fetch` does not. */
const fetchOnce = (fetch: Fetch, request: SentRequest, signal: AbortSignal): Promise<Response> =>
  new Promise((resolve, reject) => {
    signal.addEventListener("abort", () => reject(new RequestFailed()))
    fetch(request.url, {
      method: request.method,
      ...sentBody(request),
      redirect: "manual",
      signal,
      ...(request.connectionsOf === undefined ? {} : { connectionsOf: request.connectionsOf })
    }).then(resolve, reject)
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

interface Answered {
  readonly body: ReadableStream<Uint8Array> | null
}

/** The whole body. Fails and cancels the rest if it is longer. */
export const readBody = async (answered: Answered, maxBytes: number): Promise<Uint8Array> => {
  const body = new GatheredBytes()
  for await (const piece of piecesOf(answered, maxBytes)) body.add(piece)
  return body.take()
}

/** Of the body, at most so many bytes. */
async function* piecesOf({ body }: Answered, maxBytes: number): AsyncGenerator<Uint8Array, void> {
  if (body === null) return
  const reader: ReadableStreamDefaultReader<Uint8Array> = body.getReader()
  let size = 0
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    size += read.value.length
    if (size > maxBytes) {
      await reader.cancel()
      throw new RequestFailed()
    }
    yield read.value
  }
}
