/** The race of our server against the bare one over HTTP: the same requests on as many connections. */
import { openHttpLoad, requestText } from "./HttpLoad.ts"
import type { RaceContenders } from "./Measure.ts"
import { type Bench, connections } from "./openBench.ts"
import { startBareServer } from "./startBareServer.ts"

export interface HttpRequest {
  readonly method: string
  /** Below the base path. */
  readonly path: string
  readonly body?: unknown
}

export const httpRace = async (bench: Bench, requestAt: (index: number) => HttpRequest): Promise<RaceContenders> => {
  const headers = { authorization: bench.authorization }
  const open = (url: URL, basePath: string) =>
    openHttpLoad(url, connections, (index) => {
      const { method, path, body } = requestAt(index)
      return requestText(url, method, basePath + path, headers, body === undefined ? undefined : JSON.stringify(body))
    })
  const { databaseUrl, keyHash, account_id } = bench
  // Each has a workspace, because it gives out the places in it by itself.
  const start = async (pipelined: boolean) =>
    startBareServer({ databaseUrl, pipelined, keyHash, account_id, workspace_id: await bench.createWorkspace() })
  const servers = [await start(true), await start(false)] as const
  const ours = await open(bench.url, bench.url.pathname)
  const pipelined = await open(servers[0].url, "")
  const plain = await open(servers[1].url, "")
  return {
    ours: ours.run,
    bare: { "bare, pipelined": pipelined.run, "bare, a connection each": plain.run },
    pids: { ours: bench.pid, bare: { "bare, pipelined": servers[0].pid, "bare, a connection each": servers[1].pid } },
    close: async () => {
      for (const load of [ours, pipelined, plain]) load.close()
      for (const server of servers) await server.stop()
    }
  }
}
