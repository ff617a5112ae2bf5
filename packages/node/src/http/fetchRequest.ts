/** A request of `node:http` as a fetch `Request`, for an instance's `fetch` and for what reads a body while it arrives. */
import type { IncomingMessage } from "node:http"
import { Readable } from "node:stream"
import { rememberOrigin } from "./nodeRequestOf.ts"

export interface FetchRequestOptions {
  /** Path and query. */
  readonly target: string
  /** What a parser kept of the body: text, bytes, another stream, or the value it read. */
  readonly kept?: unknown
  readonly joinedAuthorization?: string | undefined
  readonly signal?: AbortSignal
}

export const fetchRequest = (
  request: IncomingMessage,
  { target, kept, joinedAuthorization, signal }: FetchRequestOptions
): Request => {
  const headers = headersOf(request, joinedAuthorization)
  const body = bodyOf(request, headers, kept)
  const method = request.method ?? "GET"
  const made = new Request(urlOf(target, headers), {
    // The fetch standard has no such requests; under another name they get the answer of any unknown method.
    method: /^(?:CONNECT|TRACE|TRACK)$/i.test(method) ? `X-${method}` : method,
    headers,
    ...(signal === undefined ? {} : { signal }),
    ...(body === undefined || method === "GET" || method === "HEAD" ? {} : { body, duplex: "half" as const })
  })
  rememberOrigin(made, request)
  return made
}

export const isRaw = (kept: unknown): kept is string | Uint8Array =>
  typeof kept === "string" || kept instanceof Uint8Array

const headersOf = (request: IncomingMessage, joinedAuthorization: string | undefined): Headers => {
  const headers = new Headers()
  for (const [name, value] of Object.entries(request.headers)) {
    // HTTP/2 has pseudo-headers, which are no header names here.
    if (value === undefined || name.startsWith(":")) continue
    for (const one of Array.isArray(value) ? value : [value]) headers.append(name, one)
  }
  const authority = request.headers[":authority"]
  if (typeof authority === "string") headers.set("host", authority)
  if (joinedAuthorization !== undefined) headers.set("authorization", joinedAuthorization)
  return headers
}

/** A path that a URL parser would read as another one: dot segments, backslashes, a fragment. */
const rewritten = /(?:^|\/)(?:\.|%2e){1,2}(?=\/|$)|[\\#]/i

/** An absolute target (RFC 9112 3.2.2) counts without its authority: Gatewarden serves any. */
export const relative = (target: string): string => target.replace(/^https?:\/\/[^/?#]*/i, "")

/** Where the request goes. What the URL standard would silently turn into another path names nothing. */
const urlOf = (target: string, headers: Headers): string => {
  const origin = originOf(headers.get("host"))
  const path = target.split("?", 1)[0] ?? ""
  if (!path.startsWith("/") || rewritten.test(path)) return `${origin}/`
  return URL.canParse(origin + target) ? origin + target : `${origin}/`
}

const originOf = (host: string | null): string =>
  host !== null &&
  /^[A-Za-z0-9._-]+(?::\d{1,5})?$|^\[[0-9A-Fa-f:.]+\](?::\d{1,5})?$/.test(host) &&
  URL.canParse(`http://${host}`)
    ? `http://${host}`
    : "http://localhost"

const bodyOf = (
  request: IncomingMessage,
  headers: Headers,
  kept: unknown
): ReadableStream<Uint8Array> | Uint8Array<ArrayBuffer> | undefined => {
  if (!isSent(request, headers)) return undefined
  if (!request.readableDidRead && !request.readableEnded) return streamOf(request)
  if (kept === undefined) return undefined
  // What undid these has a length of its own.
  for (const name of ["content-encoding", "transfer-encoding", "content-length"]) headers.delete(name)
  if (kept instanceof Readable) {
    headers.set("transfer-encoding", "chunked")
    return streamOf(kept)
  }
  const bytes = new Uint8Array(Buffer.from(isRaw(kept) ? kept : isForm(headers) ? formOf(kept) : JSON.stringify(kept)))
  headers.set("content-length", String(bytes.length))
  return bytes
}

const isForm = (headers: Headers): boolean =>
  headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() === "application/x-www-form-urlencoded"

/** The form that a parser made an object of; a field that was there twice is a list. */
const formOf = (fields: unknown): string => {
  const form = new URLSearchParams()
  for (const [name, value] of Object.entries(fields ?? {}))
    for (const each of Array.isArray(value) ? value : [value]) form.append(name, String(each))
  return form.toString()
}

/** Parsers leave an empty object where there was no body, so what was sent is asked. HTTP/2 needs to announce no length. */
const isSent = (request: IncomingMessage, headers: Headers): boolean =>
  headers.has("transfer-encoding") ||
  Number(headers.get("content-length") ?? 0) > 0 ||
  (request.httpVersionMajor > 1 && !headers.has("content-length") && !request.complete)

/**
 * The bytes of a body as they are asked for: nothing is read before the first pull, and never ahead. A cancelled stream waits for no byte
 * that is yet to come, as the iterator of a `Readable` would.
 */
const streamOf = (body: Readable): ReadableStream<Uint8Array> => {
  let attempt = (): void => {}
  const release = (): void => {
    body.off("readable", attempt).off("end", attempt)
    attempt = () => {}
  }
  const onBroken = (): void => attempt()
  body.once("error", onBroken).once("close", onBroken)
  return new ReadableStream<Uint8Array>(
    {
      pull: (controller) =>
        new Promise<void>((resolve) => {
          const finish = (act: () => void): void => {
            release()
            act()
            resolve()
          }
          attempt = () => {
            const chunk = body.read() as Uint8Array | null
            if (chunk !== null) finish(() => controller.enqueue(chunk))
            else if (body.readableEnded) finish(() => controller.close())
            else if (body.destroyed) finish(() => controller.error(new Error("The body broke off")))
          }
          body.on("readable", attempt).on("end", attempt)
          attempt()
        }),
      cancel: () => {
        release()
        body.resume()
      }
    },
    { highWaterMark: 0 }
  )
}
