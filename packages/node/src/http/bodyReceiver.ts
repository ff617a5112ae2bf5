/**
 * Bodies of paths that a host serves itself beside an instance, within the limits that the server has for its own: how long one may be,
 * how slowly it may arrive, and how many bytes may be under way at once.
 *
 * Rule: requests#bodies-in-flight. What the limits mean is the core's; this reads `node:http` requests to it.
 */
import type { Issue, Reason } from "@gatewarden/contract/internal"
import type { BodyLimits } from "@gatewarden/core"
import {
  bytesInFlight,
  defaultBodyLimits,
  firstByteMillis,
  GatheredBytes,
  type HeldBytes,
  maxShortBytes,
  measureJson,
  mostOfValues,
  patienceMillis
} from "@gatewarden/core/internal"
import type { IncomingMessage } from "node:http"
import { getHeapStatistics } from "node:v8"

/** Why a body is not read, or not to its end: what the host answers. */
export interface BodyRefusal {
  /** 408: it arrives too slowly; 413: it is too long; 429, 503: too many bytes are in flight. */
  readonly status: 408 | 413 | 429 | 503
  /** What it means and what to do about it: [errors](errors.md). */
  readonly reason: Reason
  /** The broken rules. */
  readonly issues?: readonly Issue[] | undefined
  /** For the header `Retry-After`, in seconds; with 429 and 503. */
  readonly retryAfterSeconds?: number
}

/** `undefined`: the client has gone. */
export type ReceivedBody = { readonly body: Buffer } | { readonly refusal: BodyRefusal } | undefined

/** Who sends a body: what the caps of one key and of one account apply to. */
export interface BodySender {
  /** A name that no other key has, such as the hash of a key that is known to be valid. */
  readonly key: string
  /** The id of its account. */
  readonly account_id: string
}

/** Reads bodies of a host's own paths. Made by `bodyReceiver`. */
export interface BodyReceiver {
  /**
   * Reads a body and passes it to `use`. The body counts as in flight until `use` is done.
   *
   * @param request the request, its body unread
   * @param sender who sends it; `undefined`: not known yet. All of these have one share, an eighth of the whole, as each account has. Or what
   *   tells it: asked once a body has come whose values and text count, for paths whose short bodies are not worth a question each
   * @param use what is done with the body, or with the refusal: status and reason to answer
   * @returns what `use` resolves to
   * @throws what `use` or the question for the sender rejects with, nothing else
   * @example
   * await bodies.receive(request, { key: keyHash, account_id: accountId }, async (received) => {
   *   if (received === undefined) return
   *   response.statusCode = "refusal" in received ? received.refusal.status : 200
   *   response.end()
   * })
   */
  readonly receive: <A>(
    request: IncomingMessage,
    sender: BodySender | (() => Promise<BodySender>) | undefined,
    use: (received: ReceivedBody) => Promise<A>
  ) => Promise<A>
}

/** A host has the text of a body, what was read of it, and what it sends on, all at once. */
const copiesOfText = 3

/** Nearly all short bodies have less text. */
const freeText = 16_384

/** Values of a JSON body, as an admission may have them. */
const maxValues = 200_000

const heap = getHeapStatistics().heap_size_limit

/** The most of the heap that one body may take, alone or not: what is done with it takes as much again, and others are there, too. */
const mostOfHeap = Math.floor(heap / 3)

const usualMaxBytes = Math.min(33_554_432, Math.floor(heap / 8))

const whoseOf = (sender: BodySender | undefined) => ({
  key: sender?.key,
  account: sender?.account_id ?? "",
  reserve: false
})

const tooLarge: BodyRefusal = { status: 413, reason: "payload_too_large" }
const tooSlow: BodyRefusal = { status: 408, reason: "request_timeout" }

/**
 * Reads bodies of a host's own paths within the limits that the server has for its own. Make one for the process: the limits count all bodies
 * that are in flight.
 *
 * @param options `limits`: bytes in flight and times, default those of the server; `maxBytes`: the longest body in bytes, default 33,554,432 and
 *   at most an eighth of the heap; `maxMemory`: bytes that values and text of one body may take in memory, default a third of the heap
 * @returns a receiver
 * @throws nothing
 * @example
 * const bodies = bodyReceiver({ maxBytes: 1_048_576 })
 */
export const bodyReceiver = (
  options: { readonly limits?: BodyLimits; readonly maxBytes?: number; readonly maxMemory?: number } = {}
): BodyReceiver => {
  const { limits = defaultBodyLimits, maxBytes = usualMaxBytes, maxMemory = mostOfHeap } = options
  const { json, values } = bytesInFlight(limits)

  /** `takeValues`: counts what a body takes beyond its bytes. */
  const read = (
    request: IncomingMessage,
    held: HeldBytes,
    takeValues: (bytes: number) => Promise<BodyRefusal | undefined>
  ): Promise<ReceivedBody> => {
    const announced = request.headers["content-length"]
    if (announced !== undefined && Number(announced) > maxBytes) return Promise.resolve({ refusal: tooLarge })
    // The bytes of short bodies are not counted: there are no more of them than connections.
    let covered = maxShortBytes
    const refusalFor = (bytes: number): BodyRefusal | undefined => {
      if (bytes <= covered) return undefined
      const refused = held.take(bytes - (covered === maxShortBytes ? 0 : covered))
      covered = bytes
      return refused
    }
    return new Promise((resolve) => {
      const began = performance.now()
      const gathered = new GatheredBytes()
      const leftMillis = () =>
        (gathered.size === 0 ? firstByteMillis(limits) : patienceMillis(limits, gathered.size)) -
        (performance.now() - began)
      const end = (result: ReceivedBody | Promise<ReceivedBody>) => {
        clearTimeout(timer)
        request.off("data", onData).off("end", onEnd).off("close", onClose)
        resolve(result)
      }
      const onData = (piece: Buffer) => {
        gathered.add(piece)
        const refusal = gathered.size > maxBytes ? tooLarge : refusalFor(gathered.size)
        if (refusal !== undefined) end({ refusal })
      }
      const onEnd = () => {
        const { buffer, byteOffset, byteLength } = gathered.take()
        const body = Buffer.from(buffer, byteOffset, byteLength)
        const { values, text } = measureJson(body)
        const copies = copiesOfText * (body.length > maxShortBytes ? text : Math.max(0, text - freeText))
        const isTooMuch = values > mostOfValues(maxValues) || values + copies > maxMemory
        if (isTooMuch) return end({ refusal: tooLarge })
        end(takeValues(values + copies).then((refusal) => (refusal === undefined ? { body } : { refusal })))
      }
      const onClose = () => end(undefined)
      const onTime = () => {
        const left = leftMillis()
        if (left > 0) timer = setTimeout(onTime, left)
        else end({ refusal: tooSlow })
      }
      let timer = setTimeout(onTime, leftMillis())
      request.on("data", onData).on("end", onEnd).on("close", onClose)
    })
  }

  return {
    receive: async (request, sender, use) => {
      const held = json.hold(whoseOf(typeof sender === "function" ? undefined : sender))
      let ofValues: HeldBytes | undefined
      const takeValues = async (bytes: number) => {
        if (bytes === 0) return undefined
        ofValues = values.hold(whoseOf(typeof sender === "function" ? await sender() : sender))
        return ofValues.take(bytes)
      }
      try {
        return await use(await read(request, held, takeValues))
      } finally {
        held.release()
        ofValues?.release()
      }
    }
  }
}
