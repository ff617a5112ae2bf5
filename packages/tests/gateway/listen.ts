/** The gateway and the management API on one port, without what else the server has. */
import type { BodyLimits, Gatewarden } from "@gatewarden/core"
import { errorDocsFor, isPathOfOurs } from "@gatewarden/core/internal"
import { type BodyReceiver, inTurn, refuseUnreadable, toNodeHandler } from "@gatewarden/node/internal"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AnswerRooms } from "../../../examples/gateway/src/AnswerRoom.ts"
import type { Gateway } from "../../../examples/gateway/src/Gateway.ts"
import type { RequestsInWork } from "../../../examples/gateway/src/requestsInWork.ts"
import { listenerOf } from "../../../examples/gateway/src/server.ts"

export interface Serving {
  readonly bodies?: BodyReceiver
  /** Milliseconds that the headers of a request may take; default 20,000. */
  readonly headersTimeout?: number
  /** Milliseconds that a client may take for what it has been sent. */
  readonly readMillis?: number
  /** What answers may take; by default as much as the server lets them. */
  readonly rooms?: AnswerRooms
  /** How many requests may be in work; by default as many as the server lets be. */
  readonly requests?: RequestsInWork
  /** How long clients may take for whole answers. */
  readonly limits?: BodyLimits
}

/** On a port of this machine; 0 picks a free one. */
export const listen = async (
  gatewarden: Gatewarden,
  gateway: Gateway,
  port: number,
  host = "127.0.0.1",
  { headersTimeout = 20_000, bodies, limits, readMillis, requests, rooms }: Serving = {}
): Promise<Server> => {
  const manage = toNodeHandler(gatewarden)
  const where = { basePath: gatewarden.basePath, prefix: "kept" } as const
  const errorDocs = (url: string) => errorDocsFor(where, url)
  const serves = (url: string) => isPathOfOurs(where, url)
  const answer = listenerOf(
    { gatewarden, errorDocs, serves, ...(limits && { bodies: limits }) },
    gateway,
    bodies,
    readMillis,
    rooms,
    requests
  )
  const options = { headersTimeout, connectionsCheckingInterval: 1_000, requestTimeout: 0 }
  const server = createServer(options, (request, response) =>
    inTurn(request, response, () => answer(request, response, () => manage(request, response)))
  )
  server.on("clientError", refuseUnreadable(gatewarden))
  server.listen(port, host)
  await once(server, "listening")
  return server
}
