import type { IncomingMessage, Server, ServerResponse } from "node:http"
import type { Socket } from "node:net"

const graceMillis = 2_000
const minBytesPerSecond = 65_536

/** From this part of the connections on, it is watched how fast clients read. */
const crowded = 0.75
const watchMillis = 500

/** After a look at all connections, so many times as long as it took passes before the next. */
const pausePerLook = 20

/** Of so many connections, one more may be open while others close: all that wait for the server are taken in one turn. */
const connectionsPerClosing = 32

/** A connection with requests in work. */
interface Work {
  readonly responses: Set<ServerResponse>
  readonly beganAt: number
  readonly readBefore: number
  /** What the client had taken when it was first seen to keep the server waiting; undefined while it does not. */
  seen: { readonly at: number; readonly taken: number } | undefined
}

/**
 * Keeps a server to so many connections: a further one takes the place of the connection that has waited longest without a request in work,
 * so that whoever opens many and says nothing keeps nobody out. After these go the slowest in work: those whose requests have not ended, and
 * are answered already, or late: less has come of them in 2 s and more than 64 KiB a second; and those that take less of their answers for as
 * long. If all others are faster, it is refused.
 */
export const limitConnections = (server: Server, most: number): void => {
  // In the order in which they fell silent.
  const silent = new Set<Socket>()
  const inWork = new Map<Socket, Work>()
  /** Found at the last look, the slowest last. */
  let slow: Socket[] = []
  let nextLookAt = 0
  let watch: NodeJS.Timeout | undefined
  let connections = 0
  server.maxConnections = most + Math.ceil(most / connectionsPerClosing)
  server.on("connection", (socket: Socket) => {
    connections++
    silent.add(socket)
    socket.once("close", () => {
      connections--
      silent.delete(socket)
      // Responses that waited for others on the connection are never closed.
      inWork.delete(socket)
    })
    if (connections >= most * crowded) watch ??= setInterval(look, watchMillis).unref()
    if (connections <= most) return
    const longest = longestSilent()
    if (longest === socket) (slowest() ?? socket).destroy()
    else longest?.destroy()
  })
  const longestSilent = (): Socket | undefined => {
    for (const socket of silent) if (!socket.destroyed) return socket
    return undefined
  }
  const slowest = (): Socket | undefined => {
    if (slow.length === 0 && performance.now() >= nextLookAt) look()
    for (let socket = slow.pop(); socket !== undefined; socket = slow.pop()) {
      const work = inWork.get(socket)
      if (work !== undefined && speedOf(socket, work, performance.now()) !== undefined) return socket
    }
    return undefined
  }
  const look = (): void => {
    const at = performance.now()
    const found: (readonly [Socket, number])[] = []
    for (const [socket, work] of inWork) {
      const speed = speedOf(socket, work, at)
      if (speed !== undefined) found.push([socket, speed])
    }
    slow = found.sort(([, one], [, other]) => other - one).map(([socket]) => socket)
    nextLookAt = at + (pausePerLook + 1) * (performance.now() - at)
    if (connections >= most * crowded) return
    clearInterval(watch)
    watch = undefined
    slow = []
    for (const work of inWork.values()) work.seen = undefined
  }
  const begin = ({ socket }: IncomingMessage, response: ServerResponse) => {
    silent.delete(socket)
    const work: Work = inWork.get(socket) ?? {
      responses: new Set(),
      beganAt: performance.now(),
      readBefore: socket.bytesRead,
      seen: undefined
    }
    const { responses } = work
    inWork.set(socket, work)
    responses.add(response)
    response.once("close", () => {
      responses.delete(response)
      if (responses.size > 0 || socket.destroyed) return
      inWork.delete(socket)
      silent.add(socket)
    })
  }
  for (const event of ["request", "checkContinue", "checkExpectation"]) server.on(event, begin)
}

/** Bytes a second of a connection that may go; undefined: it stays. */
const speedOf = (socket: Socket, work: Work, now: number): number | undefined =>
  socket.destroyed ? undefined : (readingSpeed(socket, work, now) ?? sendingSpeed(socket, work, now))

/** Of a client that has kept the server waiting for a while, and too slow. */
const readingSpeed = (socket: Socket, work: Work, now: number): number | undefined => {
  if (socket.writableLength === 0) {
    work.seen = undefined
    return undefined
  }
  // Buffers on the way have taken it, at least. What waits in the process is counted as written.
  const taken = socket.bytesWritten - socket.writableLength
  const { seen } = work
  const speed = seen === undefined ? undefined : slowSpeed(taken - seen.taken, now - seen.at)
  // How fast it was before says nothing of now.
  if (seen === undefined || (speed === undefined && now - seen.at > graceMillis)) work.seen = { at: now, taken }
  return speed
}

/** Of a client whose request has not ended, and is answered already, or late. */
const sendingSpeed = (socket: Socket, work: Work, now: number): number | undefined => {
  const late = slowSpeed(socket.bytesRead - work.readBefore, now - work.beganAt)
  let speed: number | undefined
  for (const { headersSent, req } of work.responses) {
    if (req.complete || (!headersSent && late === undefined)) return undefined
    speed = headersSent ? 0 : late
  }
  return speed
}

const slowSpeed = (bytes: number, millis: number): number | undefined => {
  if (millis <= graceMillis) return undefined
  const speed = (bytes * 1_000) / millis
  return speed < minBytesPerSecond ? speed : undefined
}
