/** Gatewarden inside an Express application. */
import { type Gatewarden, memory } from "@gatewarden/core"
import { createGatewarden, toNodeHandler } from "@gatewarden/node"
import express, { type Express } from "express"
import { once } from "node:events"
import type { Server } from "node:http"
import { fileURLToPath } from "node:url"

/** The application, with a route of its own. */
export const application = (gatewarden: Gatewarden): Express => {
  const app = express()
  // Before a body parser, so that bodies are judged by the gateway alone.
  app.use("/api/v1", toNodeHandler(gatewarden))
  app.use(express.json())
  app.post("/echo", (request, response) => void response.json(request.body))
  return app
}

/** Serves it on a port of this machine; 0 picks a free one. */
export const listen = async (gatewarden: Gatewarden, port: number): Promise<Server> => {
  const server = application(gatewarden).listen(port, "127.0.0.1")
  await once(server, "listening")
  return server
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const gatewarden = await createGatewarden({ store: memory() })
  await listen(gatewarden, 8787)
  console.error(`http://127.0.0.1:8787/api/v1, management key ${gatewarden.generatedKey ?? "as given"}`)
}
