/** The part of `fetch` that outgoing requests use; a host may pass its own. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>
    /** Required by every `fetch` for a streamed body. The length is in the headers. */
    readonly duplex?: "half"
    readonly redirect: "manual"
    readonly signal: AbortSignal
    /**
     * Names the party whose requests may share connections, one after the other. Only for a request that may arrive twice: it is sent again
     * if the server closes a shared connection meanwhile. A `fetch` may ignore it. Rule: operating#kept-connections.
     */
    readonly connectionsOf?: string
  }
) => Promise<Response>
