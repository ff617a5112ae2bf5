/** As much of `fetch` as outgoing requests use; a host may hand in its own. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
    /** As every `fetch` asks for a body that is a stream. Its length is in the headers. */
    readonly duplex?: "half"
    readonly redirect: "manual"
    readonly signal: AbortSignal
  }
) => Promise<Response>
