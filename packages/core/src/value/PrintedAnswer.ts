/**
 * The body of an answer as the bytes that are sent, for answers that many requests share: printed once, with its entity tag.
 *
 * `T` is the value that was printed.
 */
export class PrintedAnswer<out T> {
  declare readonly printed: T
  readonly bytes: Uint8Array
  /** With its quotes. */
  readonly etag: string
  /** Undefined: JSON. */
  readonly contentType: string | undefined

  constructor(bytes: Uint8Array, etag: string, contentType?: string) {
    this.bytes = bytes
    this.etag = etag
    this.contentType = contentType
  }
}

/** The bytes of an answer while they are made, with their type and headers of the answer. */
export class StreamedAnswer {
  readonly body: ReadableStream<Uint8Array>
  readonly contentType: string
  /** Lower-cased names. */
  readonly headers: Readonly<Record<string, string>>

  constructor(body: ReadableStream<Uint8Array>, contentType: string, headers: Readonly<Record<string, string>>) {
    this.body = body
    this.contentType = contentType
    this.headers = headers
  }
}

/**
 * The type that a client wants most, of those that it names in `Accept`; undefined where it names none. Of two that it wants as much, the
 * last. Source: RFC 9110 12.5.1.
 */
export const preferredType = (accept: string | undefined, types: readonly string[]): string | undefined => {
  const quality = (type: string): number => {
    for (const range of (accept ?? "").split(",")) {
      const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase())
      if (name !== type) continue
      const sent = Number(parameters.find((parameter) => parameter.startsWith("q="))?.slice(2) ?? 1)
      return Number.isNaN(sent) ? 0 : sent
    }
    return 0
  }
  let best: string | undefined
  for (const type of types) if (quality(type) > 0 && quality(type) >= quality(best ?? "")) best = type
  return best
}
