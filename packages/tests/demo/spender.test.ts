/** A spender as a process of its own, between a server and a provider of this test. */
import { assert, describe, it } from "@effect/vitest"
import { build } from "esbuild"
import { fork } from "node:child_process"
import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setImmediate as turn } from "node:timers/promises"
import { fileURLToPath } from "node:url"
import { bodyOf, listenAt } from "../../node/src/demo/localServers.ts"
import type { SpenderOrders } from "../../node/src/demo/Spenders.ts"

interface Settled {
  readonly event: { readonly created_at: string }
}

describe("a spender", () => {
  it("reports the start of the request, before it asks for the admission", async () => {
    const directory = await mkdtemp(join(tmpdir(), "gatewarden-spender-"))
    const outfile = join(directory, "spender.mjs")
    const source = fileURLToPath(new URL("../../node/src/demo/spender.ts", import.meta.url))
    await build({ entryPoints: [source], outfile, bundle: true, platform: "node", format: "esm", logLevel: "silent" })
    const admitted: number[] = []
    const settled: string[] = []
    const server = await listenAt(async (request, response) => {
      const body = await bodyOf(request)
      if (request.url === "/gateway/admissions") admitted.push(Date.now())
      else settled.push((JSON.parse(body) as Settled).event.created_at)
      response.end(JSON.stringify({ data: { id: "adm-1", decision: "allow" } }))
    })
    const provider = await listenAt(async (_, response) => {
      const asked = Date.now()
      // The answer comes in a later millisecond.
      while (Date.now() <= asked) await turn()
      response.writeHead(200, { "x-tokens": "6 40" }).end("Rain.")
    })
    const child = fork(outfile, { stdio: ["ignore", "ignore", "inherit", "ipc"], execArgv: [] })
    try {
      await once(child, "message")
      const orders: SpenderOrders = {
        mode: "guarded",
        url: server.url,
        provider: provider.url,
        managementKey: "key",
        api_key_hash: "hash",
        model: "acme/large",
        calls: 1,
        millis: 0,
        retries: 0
      }
      child.send(orders)
      const [done] = (await once(child, "message")) as readonly unknown[]
      assert.deepInclude(done, { kind: "done", settled: 1 })
      const [created_at = ""] = settled
      assert.isAtMost(Date.parse(created_at), admitted[0] ?? 0)
    } finally {
      if (child.connected) child.disconnect()
      server.close()
      provider.close()
      await rm(directory, { recursive: true })
    }
  })
})
