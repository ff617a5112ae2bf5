/** `npm run gateway`: the gateway as a process, with the data, variables and commands of the server. */
import { bodyReceiver, openGatewarden, StartFailure } from "@gatewarden/node"
import type { Server } from "node:http"
import type { AddressInfo } from "node:net"
import { fileURLToPath } from "node:url"
import { banner } from "./banner.ts"
import { makeGateway } from "./Gateway.ts"
import { upstreamsOf } from "./knownUpstreams.ts"
import { listen } from "./server.ts"

const catalog = fileURLToPath(new URL("../catalog.json", import.meta.url))

/** How long answers that are under way may go on once the process was told to stop. */
const drainMillis = 25_000

const addressOf = (server: Server, host: string): string => {
  const { port } = server.address() as AddressInfo
  return `http://${host.includes(":") ? `[${host}]` : host}:${port}`
}

const run = async (): Promise<void> => {
  const upstreams = upstreamsOf(process.env)
  const { gatewarden, host, port, bodies, headersTimeout, close, ...data } = await openGatewarden({ catalog })
  const gateway = makeGateway({ gatewarden, upstreams })
  const server = await listen(gatewarden, gateway, port, host, {
    bodies: bodyReceiver({ limits: bodies }),
    headersTimeout
  }).catch(async (cause: NodeJS.ErrnoException) => {
    await close()
    throw new StartFailure({
      exitCode: 69,
      lines: [`Cannot listen on ${host}:${port} (${cause.code ?? cause.message})`]
    })
  })
  process.stdout.write(banner({ address: addressOf(server, host), basePath: gatewarden.basePath, upstreams, ...data }))

  let isStopping = false
  const stop = () => {
    // The first signal asks, the second insists.
    if (isStopping) process.exit(130)
    isStopping = true
    const late = setTimeout(() => server.closeAllConnections(), drainMillis)
    server.close(async () => {
      clearTimeout(late)
      await gateway.idle()
      await close()
      process.exit(0)
    })
    server.closeIdleConnections()
  }
  process.on("SIGINT", stop).on("SIGTERM", stop)
}

try {
  await run()
} catch (cause) {
  const message = cause instanceof Error ? cause.message : "unknown"
  for (const line of message.split("\n")) process.stderr.write(`gateway: ${line}\n`)
  process.exitCode = cause instanceof StartFailure ? cause.exitCode : cause instanceof TypeError ? 78 : 1
}
