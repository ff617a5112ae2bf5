/**
 * A `fetch` over connections of its own, each to an address that a rule allows.
 *
 * Rule: operating#outgoing-calls, operating#kept-connections. The address is judged where the socket is opened, so a name that resolves
 * differently the second time gains nothing. Redirects are answers like any other.
 */
import type { Fetch } from "@gatewarden/core/internal"
import { lookup as lookupByNode } from "node:dns"
import { type Agent, type IncomingMessage, request as requestHttp } from "node:http"
import { request as requestHttps } from "node:https"
import { isIP, type LookupFunction } from "node:net"
import { Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { ReadableStream as StreamOfNode } from "node:stream/web"
import { joinPieces } from "../http/joinPieces.ts"
import { keptConnections, type KeptConnectionsOptions, type RequestOfParty } from "./keptConnections.ts"

export interface AllowedAddresses extends KeptConnectionsOptions {
  /** Decides on an address as a URL or a resolver writes it, without brackets. */
  readonly allows: (address: string) => boolean
  /** Resolves names. Default: that of Node. */
  readonly lookup?: LookupFunction | undefined
  /** Certificates of the authorities to trust. Default: those of Node. */
  readonly ca?: string | undefined
}

/** Why a connection was not made. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused"
  override readonly message = "The address is not public"
  readonly code = "ERR_ADDRESS_REFUSED"
}

/** Answers with a status of 1xx before the one that counts. Servers send one or two; a packet holds thousands, and each takes Node 13 µs. */
const maxInformational = 8

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
  const { ca } = allowed
  // Of this `fetch` alone: no connection is used under another rule than the one it was opened under.
  const kept = keptConnections(allowed)
  return (url, { method, headers, body, signal, connectionsOf: party }) =>
    new Promise((settle, reject) => {
      const target = new URL(url)
      const host = target.hostname.replace(/^\[|\]$/g, "")
      // An address is connected to without a look-up.
      if (isIP(host) !== 0 && !allowed.allows(host)) throw new AddressRefused()
      const isTls = target.protocol === "https:"
      const send = isTls ? requestHttps : requestHttp

      const attempt = (agent: Agent | false) => {
        const options: RequestOfParty = { lookup, ca, method, headers, signal, agent, party }
        const request = send(target, options)
        let bytesBefore: number | undefined
        if (agent !== false) request.once("socket", ({ bytesRead }) => (bytesBefore = bytesRead))
        request.once("error", (cause) => {
          // Others may follow, of which nobody needs to know.
          request.on("error", () => {})
          const isUnanswered = request.socket?.bytesRead === bytesBefore
          // The server closed the connection while nobody used it.
          if (request.reusedSocket && isUnanswered && !signal.aborted) attempt(false)
          else reject(cause)
        })
        let informational = 0
        request.on("information", () => {
          if (++informational !== maxInformational + 1) return
          request.destroy()
          // At once: an answer that came in the same packet counts no more.
          reject(new Error(`Expected at most ${maxInformational} informational responses`))
        })
        request.once("response", (message) => {
          try {
            settle(responseOf(message, signal))
          } catch (cause) {
            // A status or a header that no response may have.
            request.destroy()
            reject(cause)
          }
        })
        // Nobody asks for another protocol (101), and without a listener Node would tell nobody of the answer.
        request.once("upgrade", (_, socket) => {
          socket.destroy()
          reject(new Error("The server changed the protocol"))
        })
        if (!(body instanceof ReadableStream)) return void request.end(body)
        // A body that breaks off breaks the request off, of which its error tells.
        pipeline(Readable.fromWeb(body as StreamOfNode<Uint8Array>), request).catch(reject)
      }

      // A stream cannot be sent a second time.
      const isRepeatable = party !== undefined && !(body instanceof ReadableStream)
      attempt(isRepeatable && (isTls ? kept.https : kept.http))
    })
}

/** Statuses whose answers have no body (Fetch standard, null body status). */
const bodiless: ReadonlySet<number> = new Set([101, 204, 205, 304])

const responseOf = (message: IncomingMessage, signal: AbortSignal): Response => {
  const status = message.statusCode ?? 0
  const headers = new Headers()
  for (let index = 0; index + 1 < message.rawHeaders.length; index += 2)
    headers.append(message.rawHeaders[index] ?? "", message.rawHeaders[index + 1] ?? "")
  if (!bodiless.has(status)) {
    joinPieces(message, (cause) => message.destroy(cause))
    return new Response(streamOf(message, signal), { status, headers })
  }
  message.on("error", () => {})
  // A body that must not be is read by nobody, who could also end it.
  message.on("data", () => message.destroy())
  return new Response(null, { status, headers })
}

/** Of a body, what is held before somebody reads it. A piece weighs more than its bytes: a queue of thousands takes quadratic time to read. */
const held = { highWaterMark: 65_536, size: (piece: Uint8Array) => piece.length + 1_024 }

/** What `Readable.toWeb` does, at a fraction of its cost for an answer that arrives at once. */
const streamOf = (message: IncomingMessage, signal: AbortSignal): ReadableStream<Uint8Array> => {
  let isOver = false
  return new ReadableStream<Uint8Array>(
    {
      start: (controller) => {
        const fail = (cause: unknown) => {
          if (!isOver) controller.error(cause)
          isOver = true
        }
        message.on("data", (piece: Uint8Array) => {
          if (isOver) return
          controller.enqueue(piece)
          if ((controller.desiredSize ?? 0) <= 0) message.pause()
        })
        message.once("end", () => {
          // An abort drops what was not read yet, and ends the message as if it were complete.
          if (signal.aborted) return fail(signal.reason)
          if (!isOver) controller.close()
          isOver = true
        })
        message.on("error", fail)
        message.once("close", () => fail(new Error("The answer broke off")))
      },
      pull: () => void message.resume(),
      cancel: () => {
        isOver = true
        message.destroy()
      }
    },
    held
  )
}
