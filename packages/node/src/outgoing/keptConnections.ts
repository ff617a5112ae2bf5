/**
 * Connections that are kept for the next request of the same party to the same origin, within bounds of number, idle time and age.
 *
 * Rule: operating#kept-connections. Node's agents give a connection back only after both request and answer were complete.
 */
import { Agent as AgentOfHttp, type ClientRequest } from "node:http"
import { Agent as AgentOfHttps, type AgentOptions, type RequestOptions } from "node:https"
import type { Socket } from "node:net"

export interface KeptConnectionsOptions {
  /** Decides on the address that a connection leads to, each time before it is used again. */
  readonly allows: (address: string) => boolean
  /** How long a connection waits for a request. Default 4 seconds: servers close theirs after 5 and more. */
  readonly idleMillis?: number | undefined
  /** Milliseconds that only grow. Default: those of the process. */
  readonly now?: (() => number) | undefined
}

/** Options of a request that shares connections with requests of the same party only. */
export interface RequestOfParty extends RequestOptions {
  readonly party?: string | undefined
}

export interface KeptConnections {
  readonly http: AgentOfHttp
  readonly https: AgentOfHttp
}

/** Of a party and an origin. Its requests come one after the other. */
const maxIdleOfParty = 2
/** Of all parties. */
const maxIdle = 64
/** At the beginning of a request, so that a change in DNS is followed within a minute. */
const maxAgeMillis = 50_000

export const keptConnections = ({
  allows,
  idleMillis = 4_000,
  now = () => performance.now()
}: KeptConnectionsOptions): KeptConnections => {
  const opened = new WeakMap<Socket, number>()

  const isUsable = (socket: Socket, idleFor: number): boolean =>
    now() + idleFor - (opened.get(socket) ?? -Infinity) < maxAgeMillis && allows(socket.remoteAddress ?? "")

  const idle = (): number => {
    let sum = 0
    for (const { freeSockets } of [agents.http, agents.https])
      for (const name in freeSockets) sum += freeSockets[name]?.length ?? 0
    return sum
  }

  /** The next request would take for its answer what arrives before it. */
  const endUnasked = function (this: Socket) {
    this.destroy()
  }

  const keeping = (Agent: typeof AgentOfHttp) =>
    class extends Agent {
      override getName(options?: RequestOfParty): string {
        return `${super.getName(options)}:${options?.party ?? ""}`
      }
      override createConnection(...given: Parameters<AgentOfHttp["createConnection"]>) {
        const socket = super.createConnection(...given)
        opened.set(socket as Socket, now())
        return socket
      }
      override keepSocketAlive(socket: Socket): boolean {
        // The declaration lacks what Node answers: false where the server announced to close at once.
        const isKept =
          isUsable(socket, idleMillis) && idle() < maxIdle && (super.keepSocketAlive(socket) as unknown) !== false
        if (isKept) socket.once("data", endUnasked)
        return isKept
      }
      override reuseSocket(socket: Socket, request: ClientRequest): void {
        socket.removeListener("data", endUnasked)
        super.reuseSocket(socket, request)
        // Nothing was written, and the request fails as over any connection that was closed.
        if (!isUsable(socket, 0)) socket.destroy()
      }
    }

  const options: AgentOptions = {
    keepAlive: true,
    maxFreeSockets: maxIdleOfParty,
    timeout: idleMillis,
    // With "lifo" Node takes the last one though it may be closed.
    scheduling: "fifo",
    // Of TLS: certificates are verified whenever a connection is opened.
    maxCachedSessions: 0
  }
  const agents: KeptConnections = {
    http: new (keeping(AgentOfHttp))(options),
    https: new (keeping(AgentOfHttps as typeof AgentOfHttp))(options)
  }
  return agents
}
