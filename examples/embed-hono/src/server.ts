/** Gatewarden inside a Hono application. */
import { type Gatewarden, memory } from "@gatewarden/core"
import { createGatewarden } from "@gatewarden/node"
import { createAdaptorServer } from "@hono/node-server"
import { Hono } from "hono"
import { once } from "node:events"
import type { Server } from "node:http"
import { fileURLToPath } from "node:url"

/** The application, with a route of its own. */
export const application = (gatewarden: Gatewarden): Hono => {
  const app = new Hono()
  app.all("/api/v1/*", (context) => gatewarden.fetch(context.req.raw))
  app.post("/echo", async (context) => context.json(await context.req.json()))
  return app
}

/** Serves it on a port of this machine; 0 picks a free one. The globals of the process stay as they are. */
export const listen = async (gatewarden: Gatewarden, port: number): Promise<Server> => {
  const { fetch } = application(gatewarden)
  const server = createAdaptorServer({ fetch, overrideGlobalObjects: false }) as Server
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  return server
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const gatewarden = await createGatewarden({ store: memory() })
  await listen(gatewarden, 8787)
  console.error(`http://127.0.0.1:8787/api/v1, management key ${gatewarden.generatedKey ?? "as given"}`)
}
