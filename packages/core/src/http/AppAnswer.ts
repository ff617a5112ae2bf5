/** An answer, before the listener writes it. */
import { Stream } from "effect"
import { HttpServerResponse } from "effect/http"

export interface AppAnswer {
  readonly status: number
  /** Lower-cased names. */
  readonly headers: Readonly<Record<string, string>>
  /** JSON, unless `content-type` is among the headers; a long one as pieces of its UTF-8; undefined where there is none, as for 304. */
  readonly body: string | readonly Uint8Array[] | undefined
}

export const jsonType = "application/json"

/** A response of `effect/http`. */
export const appResponse = ({ status, headers, body }: AppAnswer): HttpServerResponse.HttpServerResponse => {
  if (body === undefined) return HttpServerResponse.empty({ status, headers })
  const contentType = headers["content-type"] ?? jsonType
  if (typeof body === "string") return HttpServerResponse.text(body, { status, contentType, headers })
  const contentLength = body.reduce((sum, piece) => sum + piece.length, 0)
  return HttpServerResponse.stream(Stream.fromIterable(body, { chunkSize: 1 }), {
    status,
    contentType,
    contentLength,
    headers
  })
}
