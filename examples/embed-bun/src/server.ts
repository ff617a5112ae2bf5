/** Gatewarden inside a Bun server. */
import { createGatewarden, memory } from "@gatewarden/core"

const gatewarden = await createGatewarden({ store: memory() })

const server = Bun.serve({
  hostname: "127.0.0.1",
  port: Number(process.env["PORT"] ?? 8787),
  routes: {
    // Wrapped: Bun hands its server on as a second argument.
    "/api/v1/*": (request) => gatewarden.fetch(request),
    "/echo": { POST: async (request) => Response.json(await request.json()) }
  }
})
console.error(`${server.url.origin}/api/v1, management key ${gatewarden.generatedKey ?? "as given"}`)
