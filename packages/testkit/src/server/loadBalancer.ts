/** What stands before several servers: passes requests on in turn, and asks `readyz` who may have the next one. */
import { Agent, createServer, request as send, type IncomingMessage, type ServerResponse } from "node:http"
import { setTimeout as pause } from "node:timers/promises"

const healthMillis = 50

interface Backend {
  readonly origin: string
  isReady: boolean
  /** What its checks said, without repetitions; 0 = no connection. */
  readonly seen: number[]
}

export interface LoadBalancer {
  readonly origin: string
  /** Resolves once the backend is ready. `url` is the server's, with or without its base path. */
  readonly add: (url: string) => Promise<void>
  /** Every status that the checks of a backend saw, in order, without repetitions; 0 = no connection. */
  readonly healthOf: (url: string) => readonly number[]
  /** How many answers of each kind were passed on; what no backend answered counts as `lost`. */
  readonly passed: ReadonlyMap<string, number>
  readonly close: () => Promise<void>
}

export const startLoadBalancer = async (): Promise<LoadBalancer> => {
  const agent = new Agent({ keepAlive: true })
  const backends: Backend[] = []
  const passed = new Map<string, number>()
  const count = (kind: string) => passed.set(kind, (passed.get(kind) ?? 0) + 1)
  let turn = 0
  const state = { isOpen: true }

  const check = async (backend: Backend): Promise<void> => {
    const status = await fetch(`${backend.origin}/readyz`).then(
      async (response) => (await response.arrayBuffer(), response.status),
      () => 0
    )
    backend.isReady = status === 200
    if (backend.seen.at(-1) !== status) backend.seen.push(status)
  }
  const watch = async (backend: Backend): Promise<void> => {
    // One that cannot be connected to after it was ready is gone.
    while (state.isOpen && !(backend.seen.at(-1) === 0 && backend.seen.includes(200))) {
      await check(backend)
      await pause(healthMillis)
    }
  }

  /** The next ready one; the others after it, should it refuse the connection. */
  const candidates = (): readonly Backend[] => {
    const ready = backends.filter(({ isReady }) => isReady)
    const first = turn++
    return ready.map((_, index) => ready[(first + index) % ready.length] as Backend)
  }

  const forward = (request: IncomingMessage, response: ServerResponse, body: Buffer): void => {
    const [first, ...others] = candidates()
    const attempt = (backend: Backend | undefined, rest: readonly Backend[]): void => {
      if (backend === undefined) {
        count("lost")
        response.writeHead(502, { "content-type": "application/json" }).end('{"error":{"code":502,"message":"lost"}}')
        return
      }
      const { connection: _, ...headers } = request.headers
      send(backend.origin + (request.url ?? "/"), { agent, method: request.method, headers }, (answer) => {
        count(String(answer.statusCode))
        // Connections are between neighbours.
        const { connection: __, "keep-alive": ___, ...answered } = answer.headers
        response.writeHead(answer.statusCode ?? 502, answered)
        answer.pipe(response)
      })
        // Only where nothing was sent may another have it.
        .once("error", (cause: NodeJS.ErrnoException) =>
          cause.code === "ECONNREFUSED" ? attempt(rest[0], rest.slice(1)) : attempt(undefined, [])
        )
        .end(body)
    }
    attempt(first, others)
  }

  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on("data", (part: Buffer) => parts.push(part))
    request.once("end", () => forward(request, response, Buffer.concat(parts)))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()

  const backendOf = (url: string) => backends.find(({ origin }) => origin === new URL(url).origin)
  return {
    origin: `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`,
    add: async (url) => {
      const backend: Backend = { origin: new URL(url).origin, isReady: false, seen: [] }
      while (!backend.isReady) await check(backend)
      backends.push(backend)
      void watch(backend)
    },
    healthOf: (url) => backendOf(url)?.seen ?? [],
    passed,
    close: async () => {
      state.isOpen = false
      agent.destroy()
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    }
  }
}
