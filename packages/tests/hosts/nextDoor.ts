/** The example in Next, built for production when this file is imported, as the HTTP suite speaks to it. */
import type { Gatewarden } from "@gatewarden/core"
import { type Choose, hostDoor, type InstallationOptions } from "@gatewarden/conformance"
import { layerMemory } from "@gatewarden/core/effect"
import { execFile } from "node:child_process"
import { once } from "node:events"
import { createServer, type RequestListener, type Server } from "node:http"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"

const dir = fileURLToPath(new URL("../../../examples/embed-next/", import.meta.url))

const require = createRequire(import.meta.url)
const bin = require.resolve("next/dist/bin/next")

/** As much of Next as is used here: its own types would change those of `process.env` for every test. */
const next = require("next") as (options: {
  readonly dev: boolean
  readonly dir: string
  readonly hostname: string
  readonly port: number
  readonly quiet: boolean
}) => { readonly prepare: () => Promise<void>; readonly getRequestHandler: () => RequestListener }

await promisify(execFile)(process.execPath, [bin, "build"], {
  cwd: dir,
  env: { ...process.env, NODE_ENV: "production", NEXT_TELEMETRY_DISABLED: "1" }
})

/** Serves the example as it was built; its routes find the instance under test where they would keep their own. */
const listen = async (gatewarden: Gatewarden, port: number): Promise<Server> => {
  Object.assign(globalThis, { gatewarden: Promise.resolve(gatewarden) })
  const app = next({ dev: false, dir, hostname: "127.0.0.1", port, quiet: true })
  await app.prepare()
  const server = createServer(app.getRequestHandler()).listen(port, "127.0.0.1")
  await once(server, "listening")
  return server
}

// A target that cannot be decoded is refused by Next, before it looks for a route.
const answeredByNext = "a broken escape names nothing"

// A route is told another host than the client asked: an application in Next names its address with `publicUrl`.
const aboutTheAddress = "without credentials, with addresses below that of the request"

/** What Next lets through to a route as it came. */
export const whatNextLetsThrough: Choose = (cases) =>
  cases.filter(({ name }) => name !== answeredByNext && name !== aboutTheAddress)

export const nextDoor: InstallationOptions = { store: layerMemory, door: hostDoor(listen) }
