/**
 * `Expect: 100-continue`: a body that was announced is asked for when somebody reads it, so a caller who is refused never sends it.
 *
 * Rule: requests#order-of-checks: no body is read before 401; RFC 9110 10.1.1. Node would ask before it hands the request over.
 */
import type { IncomingMessage, ServerResponse } from "node:http"

type Listener = (request: IncomingMessage, response: ServerResponse) => void

/** For the event `checkContinue`. */
export const continueWhenRead =
  (handle: Listener): Listener =>
  (request, response) => {
    const { shouldKeepAlive } = response
    // Whether a body comes that was not asked for is the client's to decide, so nothing could be told apart behind it.
    response.shouldKeepAlive = false
    const onListener = (event: string | symbol): void => {
      if (event !== "data" && event !== "readable") return
      request.off("newListener", onListener)
      if (response.headersSent) return
      response.shouldKeepAlive = shouldKeepAlive
      response.writeContinue()
    }
    request.on("newListener", onListener)
    handle(request, response)
  }
