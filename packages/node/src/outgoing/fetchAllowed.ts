/**
 * A `fetch` over connections of its own, each to an address that a rule allows.
 *
 * Rule: operating#outgoing-calls. The address is judged where the socket is opened, so a name that resolves differently the second time
 * gains nothing. Redirects are answers like any other.
 */
import type { Fetch } from "@gatewarden/core/effect"
import { lookup as lookupByNode } from "node:dns"
import { type IncomingMessage, request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"
import { isIP, type LookupFunction } from "node:net"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { ReadableStream as StreamOfNode } from "node:stream/web"

export interface AllowedAddresses {
  /** Decides on an address as a URL or a resolver writes it, without brackets. */
  readonly allows: (address: string) => boolean
  /** Resolves names. Default: that of Node. */
  readonly lookup?: LookupFunction | undefined
}

/** Why a connection was not made. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused"
  override readonly message = "The address is not public"
}

/** Resolves a name once, and leaves the addresses that are allowed: the socket connects to one of these and resolves nothing itself. */
const lookupAllowed =
  ({ allows, lookup = lookupByNode }: AllowedAddresses): LookupFunction =>
  (hostname, options, callback) =>
    lookup(hostname, { ...options, all: true }, (error, found) => {
      if (error !== null) return callback(error, [])
      const addresses = typeof found === "string" ? [{ address: found, family: isIP(found) }] : found
      const open = addresses.filter(({ address }) => allows(address))
      const [first] = open
      if (first === undefined) return callback(new AddressRefused(), [])
      if (options.all === true) callback(null, open)
      else callback(null, first.address, first.family)
    })

export const fetchAllowed = (allowed: AllowedAddresses): Fetch => {
  const lookup = lookupAllowed(allowed)
  return (url, { method, headers, body, signal }) =>
    new Promise((settle, reject) => {
      const target = new URL(url)
      const host = target.hostname.replace(/^\[|\]$/g, "")
      // An address is connected to without a look-up.
      if (isIP(host) !== 0 && !allowed.allows(host)) throw new AddressRefused()
      const send = target.protocol === "https:" ? requestHttps : requestHttp
      // A connection of its own: one that is kept may have been made under other rules.
      const request = send(target, { lookup, method, headers, signal, agent: false })
      request.on("error", reject)
      request.once("response", (message) => {
        try {
          settle(responseOf(message))
        } catch (cause) {
          // A status or a header that no response may have.
          request.destroy()
          reject(cause)
        }
      })
      if (!(body instanceof ReadableStream)) return void request.end(body)
      // A body that breaks off breaks the request off, of which its error tells.
      pipeline(Readable.fromWeb(body as StreamOfNode<Uint8Array>), request).catch(reject)
    })
}

/** Statuses whose answers have no body (Fetch standard, null body status). */
const bodiless: ReadonlySet<number> = new Set([101, 204, 205, 304])

const responseOf = (message: IncomingMessage): Response => {
  const status = message.statusCode ?? 0
  const headers = new Headers()
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2)
    headers.append(message.rawHeaders[index] ?? "", message.rawHeaders[index + 1] ?? "")
  // Whoever reads the body learns that it broke off; nobody does when there is none.
  message.on("error", () => {})
  if (!bodiless.has(status))
    return new Response(Readable.toWeb(message) as ReadableStream<Uint8Array>, { status, headers })
  message.resume()
  return new Response(null, { status, headers })
}
