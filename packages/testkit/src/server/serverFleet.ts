/** Servers that a test starts and need not remember to end: whatever is left of them is killed after each test. */
import { afterEach } from "@effect/vitest"
import { launchServer, type LaunchedServer, type ServerProcess, type ServerProcessOptions } from "./serverProcess.ts"

export interface ServerFleet {
  readonly launch: (options?: ServerProcessOptions) => Promise<LaunchedServer>
  /** Waits until it listens. */
  readonly start: (options?: ServerProcessOptions) => Promise<ServerProcess>
}

/** To be called where tests are declared. */
export const serverFleet = (): ServerFleet => {
  const running = new Set<LaunchedServer>()
  afterEach(async () => {
    await Promise.all(Array.from(running, ({ kill }) => kill()))
  })
  const launch: ServerFleet["launch"] = async (options) => {
    const server = await launchServer(options)
    running.add(server)
    void server.ended.then(() => running.delete(server))
    return server
  }
  return {
    launch,
    start: async (options) => {
      const server = await launch(options)
      return { ...server, url: await server.listening }
    }
  }
}
