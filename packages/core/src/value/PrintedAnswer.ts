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
