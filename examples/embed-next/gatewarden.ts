/**
 * The one instance of this process. Next loads route files more than once (development reloads them, a build only looks at
 * them), so it is kept where all of them find it, and made when the first request asks for it.
 */
import { createGatewarden, type Gatewarden, memory } from "@gatewarden/core"
import { postgres } from "@gatewarden/postgres"

const kept = globalThis as { gatewarden?: Promise<Gatewarden> | undefined }

const start = (): Promise<Gatewarden> => {
  const { DATABASE_URL: url, GATEWARDEN_KEYRING: keyring, GATEWARDEN_MANAGEMENT_KEY: managementKey } = process.env
  return createGatewarden({ store: url === undefined ? memory() : postgres({ url }), keyring, managementKey })
}

export const gatewarden = (): Promise<Gatewarden> => {
  kept.gatewarden ??= start().catch((cause: unknown) => {
    // A start that failed may be tried again by the next request.
    kept.gatewarden = undefined
    throw cause
  })
  return kept.gatewarden
}
