/** Gatewarden inside a Fastify application. */
import { type Gatewarden, memory } from "@gatewarden/core"
import { createGatewarden, toNodeHandler } from "@gatewarden/node"
import { gatewardenFastify } from "@gatewarden/node/fastify"
import fastify, { type FastifyInstance, type FastifyReply } from "fastify"
import type { Server } from "node:http"
import { fileURLToPath } from "node:url"

/** The application, with a route of its own. */
export const application = (gatewarden: Gatewarden): FastifyInstance => {
  const handle = toNodeHandler(gatewarden)
  const app = fastify({
    // Fastify refuses a broken escape (%zz) before it looks for a route. Below our path we answer it ourselves.
    frameworkErrors: (error, { raw }, reply: FastifyReply) => {
      if (raw.url?.startsWith("/api/v1/") !== true) return void reply.send(error)
      reply.hijack()
      handle(raw, reply.raw)
    }
  })
  app.register(gatewardenFastify, { gatewarden, prefix: "/api/v1" })
  app.post("/echo", (request) => request.body)
  return app
}

/** Serves it on a port of this machine; 0 picks a free one. */
export const listen = async (gatewarden: Gatewarden, port: number): Promise<Server> => {
  const app = application(gatewarden)
  await app.listen({ port, host: "127.0.0.1" })
  return app.server
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const gatewarden = await createGatewarden({ store: memory() })
  await listen(gatewarden, 8787)
  console.error(`http://127.0.0.1:8787/api/v1, management key ${gatewarden.generatedKey ?? "as given"}`)
}
