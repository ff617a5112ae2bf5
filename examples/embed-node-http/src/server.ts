/** Gatewarden inside a plain Node server. */
import { type Gatewarden, memory } from "@gatewarden/core"
import { createGatewarden, toNodeHandler } from "@gatewarden/node"
import { once } from "node:events"
import { createServer, type Server } from "node:http"
import { fileURLToPath } from "node:url"

/** Serves an instance on a port of this machine; 0 picks a free one. */
export const listen = async (gatewarden: Gatewarden, port: number): Promise<Server> => {
  const server = createServer(toNodeHandler(gatewarden)).listen(port, "127.0.0.1")
  await once(server, "listening")
  return server
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const gatewarden = await createGatewarden({ store: memory() })
  await listen(gatewarden, 8787)
  console.error(`http://127.0.0.1:8787/api/v1, management key ${gatewarden.generatedKey ?? "as given"}`)
}
