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
