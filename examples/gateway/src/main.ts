/** `npm run gateway`: `gatewarden serve` with the paths of the gateway beside its own. */
import { bodyReceiver, serveGatewarden } from "@gatewarden/node"
import { fileURLToPath } from "node:url"
import { banner, providersOf } from "./banner.ts"
import { makeGateway } from "./Gateway.ts"
import { upstreamsOf } from "./knownUpstreams.ts"
import { listenerOf } from "./server.ts"
import type { Upstreams } from "./Upstream.ts"

const serve = (upstreams: Upstreams): Promise<void> =>
  serveGatewarden({
    catalog: fileURLToPath(new URL("../catalog.json", import.meta.url)),
    routes: ({ gatewarden, bodies }) => {
      const gateway = makeGateway({ gatewarden, upstreams })
      return {
        paths: gateway.paths,
        listener: listenerOf(gatewarden, gateway, bodyReceiver({ limits: bodies })),
        idle: gateway.idle,
        notes: { providers: providersOf(upstreams) }
      }
    },
    banner: (started) => banner({ ...started, upstreams })
  })

try {
  await serve(upstreamsOf(process.env))
} catch (cause) {
  process.stderr.write(`gatewarden: ${cause instanceof Error ? cause.message : "unknown"}\n`)
  process.exitCode = cause instanceof TypeError ? 78 : 1
}
