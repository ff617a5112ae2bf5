/** The gateway and the management API on one port. */
import { type Gatewarden, memory } from "@gatewarden/core"
import { createGatewarden } from "@gatewarden/node"
import { createAdaptorServer } from "@hono/node-server"
import { Hono } from "hono"
import { bodyLimit } from "hono/body-limit"
import { once } from "node:events"
import type { Server } from "node:http"
import { fileURLToPath } from "node:url"
import { type Gateway, makeGateway } from "./Gateway.ts"
import { refusal } from "./refusal.ts"
import type { Upstreams } from "./Upstream.ts"

const maxBody = 33_554_432
const tooLarge = () => refusal(413, "Request payload too large")

export const application = (gatewarden: Gatewarden, gateway: Gateway): Hono => {
  const app = new Hono()
  app.post("/api/v1/chat/completions", bodyLimit({ maxSize: maxBody, onError: tooLarge }), (context) =>
    gateway.complete(context.req.raw)
  )
  app.all("/api/v1/*", (context) => gatewarden.fetch(context.req.raw))
  return app
}

/** Serves both on a port of this machine; 0 picks a free one. */
export const listen = async (gatewarden: Gatewarden, gateway: Gateway, port: number): Promise<Server> => {
  const { fetch } = application(gatewarden, gateway)
  const server = createAdaptorServer({ fetch, overrideGlobalObjects: false }) as Server
  server.listen(port, "127.0.0.1")
  await once(server, "listening")
  return server
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const upstreams = JSON.parse(process.env["GATEWAY_UPSTREAMS"] ?? "{}") as Upstreams
  const gatewarden = await createGatewarden({
    store: memory(),
    managementKey: process.env["GATEWARDEN_MANAGEMENT_KEY"]
  })
  const port = Number(process.env["PORT"] ?? "8787")
  await listen(gatewarden, makeGateway({ gatewarden, upstreams }), port)
  console.error(`http://127.0.0.1:${port}/api/v1, management key ${gatewarden.generatedKey ?? "as given"}`)
}
