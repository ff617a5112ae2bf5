/** As much of `fetch` as outgoing requests use; a host may hand in its own. */
export type Fetch = (
  url: string,
  init: {
    readonly method: string
    readonly headers: Readonly<Record<string, string>>
    readonly body?: Uint8Array<ArrayBuffer>
    readonly redirect: "manual"
    readonly signal: AbortSignal
  }
) => Promise<Response>
