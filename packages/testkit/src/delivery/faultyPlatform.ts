/**
 * A platform on this machine that accepts, refuses and breaks off as it is told: an HTTP server that remembers which events it has accepted.
 *
 * An event counts as accepted when a whole 2xx answer for it was written. What came with a fault may be sent again.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { idsIn } from "./deliverySuite.ts"

/** `half`: the answer begins and breaks off; `reset`: the connection ends without one; `silence`: it stays open without one. */
export type Fault = 400 | 429 | 500 | "half" | "reset" | "silence"

export interface FaultyPlatform {
  readonly url: string
  /** Ids of accepted events, in the order of their arrival, with those that came twice. */
  readonly accepted: readonly string[]
  /** Requests that arrived. */
  readonly requests: () => number
  /** Ends every fault. */
  readonly mend: () => void
  readonly close: () => void
}

const textOf = async (request: IncomingMessage): Promise<string> => {
  const pieces: Buffer[] = []
  for await (const piece of request) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString("utf8")
}

const spoil = (response: ServerResponse, fault: Fault): void => {
  switch (fault) {
    case "silence":
      return
    case "reset":
      response.socket?.destroy()
      return
    case "half":
      response.writeHead(200, { "content-type": "application/json", "content-length": "100" })
      response.write("{", () => response.socket?.destroy())
      return
    case 429:
      response.writeHead(429, { "retry-after": "1" }).end("later")
      return
    default:
      response.writeHead(fault).end("no")
  }
}

/** `faultOf` is asked for each request, which are counted from 1. `onRequest` runs while the request is in flight. */
export const startFaultyPlatform = async (
  faultOf: (request: number) => Fault | undefined,
  onRequest: () => void = () => {}
): Promise<FaultyPlatform> => {
  const accepted: string[] = []
  let requests = 0
  let isWell = false
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const ids = idsIn(await textOf(request))
    const fault = isWell ? undefined : faultOf(++requests)
    onRequest()
    if (fault !== undefined) return spoil(response, fault)
    accepted.push(...ids)
    response.writeHead(200, { "content-type": "application/json" }).end("{}")
  }
  const server = createServer((request, response) => {
    // A process that is killed leaves a request that ends early.
    answer(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    accepted,
    requests: () => requests,
    mend: () => (isWell = true),
    close: () => {
      server.closeAllConnections()
      server.close()
    }
  }
}
