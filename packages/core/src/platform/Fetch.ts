import { isPublicAddress } from "./isPublicAddress.ts"

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

const isAddress = (host: string): boolean => host.startsWith("[") || /^[\d.]+$/.test(host)

/**
 * The platform's `fetch`, except to addresses that are not public. A runtime with `fetch` alone cannot check what a name resolves to; a
 * platform that can provides a stricter one.
 */
export const publicFetch: Fetch = async (url, { connectionsOf: _, ...init }) => {
  const { hostname } = new URL(url)
  const refused = isAddress(hostname)
    ? !isPublicAddress(hostname.replace(/[[\]]/g, ""))
    : /(?:^|\.)localhost\.?$/.test(hostname)
  if (refused) throw new TypeError("The address is not public")
  return fetch(url, init)
}
