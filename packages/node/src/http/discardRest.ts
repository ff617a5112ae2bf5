/**
 * An answer that leaves before its request has arrived, as every refusal of a long body does: the rest is read and thrown
 * away before the connection closes. A client that writes everything before it reads, or is busy for a moment, would be reset
 * on the way and never see the answer; the public client takes that for a failure of the network and repeats itself.
 *
 * Source: RFC 9112 9.6.
 */
import type { IncomingMessage, ServerResponse } from "node:http"

/** Enough for the largest file over an everyday line; after it the connection is cut, and before it if nothing comes for so long. */
const patienceMillis = 30_000
const silenceMillis = 2_000

/**
 * Lets a response leave before its request has arrived: the rest of the body is read and discarded, for at most 30 seconds and while some of
 * it comes in every two, before the connection closes. Without it a client that is still sending sees a reset in place of the response. Call it before the response is written.
 *
 * @param request the request, its body unread
 * @param response its response
 * @returns nothing
 * @throws nothing
 * @example
 * discardRest(request, response)
 */
export const discardRest = (request: IncomingMessage, response: ServerResponse): void => {
  const end = response.end.bind(response)
  const endOnceRead = (...sent: Parameters<typeof end>): ServerResponse => {
    // Who asked whether to send a body, and was not told to, sends none. What was too slow is not waited for any more.
    const isSent = request.headers.expect === undefined && !request.complete && response.statusCode !== 408
    // Whoever reads it still knows what to do with the rest, and would keep it from being read past it.
    const isRead = request.listenerCount("readable") + request.listenerCount("data") > 0
    if (!isSent || isRead || request.destroyed || response.destroyed) return end(...sent)
    const callback: unknown = sent.find((one: unknown) => typeof one === "function")
    if (typeof sent[0] === "string" || (sent[0] as unknown) instanceof Uint8Array) response.write(sent[0])
    else response.flushHeaders()
    let isEnded = false
    const finish = (): void => {
      if (isEnded) return
      isEnded = true
      clearInterval(timer)
      // Otherwise the rest would be read for as long as it comes.
      if (!request.complete) response.once("finish", () => void request.socket.destroySoon())
      if (typeof callback === "function") end(callback as () => void)
      else end()
    }
    let left = patienceMillis / silenceMillis
    let isHeard = false
    const timer = setInterval(() => {
      if (--left === 0 || !isHeard) finish()
      isHeard = false
    }, silenceMillis)
    request
      .once("end", finish)
      .once("close", finish)
      .on("data", () => (isHeard = true))
    return response
  }
  response.end = endOnceRead as ServerResponse["end"]
}
