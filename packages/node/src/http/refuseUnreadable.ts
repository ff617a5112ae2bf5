import type { GatewardenOptions } from "@gatewarden/core"
import { defaultSettings, envelope, errorDocsFor, type Printed } from "@gatewarden/core/internal"
import { randomUUID } from "node:crypto"
import { maxHeaderSize } from "node:http"
import type { Socket } from "node:net"
import { isAnswering } from "./inTurn.ts"
import { FinePieces } from "./joinPieces.ts"

/**
 * Makes the listener for a server's event `clientError`: a request that Node cannot parse is answered in the envelope of the API,
 * or ends its connection where one before it has no answer yet.
 *
 * @param mounted the instance, whose base path the `doc_url` of the answer begins with
 * @returns a listener
 * @throws nothing
 * @example
 * server.on("clientError", refuseUnreadable(gatewarden))
 */
export const refuseUnreadable = (
  mounted: Pick<GatewardenOptions, "basePath" | "docUrl">
): ((cause: NodeJS.ErrnoException, socket: Socket) => void) => {
  const { basePath = defaultSettings.basePath, docUrl } = mounted
  // There is no target to be relative to.
  const docs = errorDocsFor({ basePath, docUrl, prefix: "kept" }, "")
  return (cause, socket) => refuse(docs, cause, socket)
}

const refuse = (docs: string, cause: NodeJS.ErrnoException, socket: Socket): void => {
  // A client would take the refusal of what it sent behind a request for the answer to that request.
  if (cause.code === "ECONNRESET" || !socket.writable || isAnswering(socket)) return void socket.destroy()
  const requestId = randomUUID()
  const timedOut = cause.code === "ERR_HTTP_REQUEST_TIMEOUT"
  const issue =
    cause.code === "HPE_HEADER_OVERFLOW"
      ? {
          path: "",
          code: "headers_too_large",
          message: `Expected at most ${maxHeaderSize} bytes of target and headers`
        }
      : cause instanceof FinePieces
        ? { path: "", code: "chunks_too_small", message: cause.message }
        : { path: "", code: "malformed_request", message: "The request is not valid HTTP" }
  const refusal: Printed = timedOut
    ? { status: 408, reason: "request_timeout" }
    : { status: 400, reason: "invalid_header", issues: [issue] }
  const body = JSON.stringify(envelope(refusal, requestId, docs))
  socket.end(
    `HTTP/1.1 ${timedOut ? "408 Request Timeout" : "400 Bad Request"}\r\n` +
      `content-type: application/json\r\nx-request-id: ${requestId}\r\n` +
      `content-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`
  )
  // A client that does not close its side would keep its place among the connections.
  socket.destroySoon()
}
