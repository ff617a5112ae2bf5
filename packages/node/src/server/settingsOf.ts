import { accountShare, keyShare, type RegionPolicy } from "@gatewarden/core/internal"
import { getHeapStatistics } from "node:v8"
import { isLoopback } from "../config/addressProblem.ts"
import { storageLimitsOf } from "../config/storageVariables.ts"
import type { Values } from "../config/variables.ts"
import type { ServerOptions } from "./startServer.ts"

const heap = getHeapStatistics().heap_size_limit

/** The pages of a server that only this machine reaches, at the address that its clients use. */
const localDocUrl = ({ HOST, PORT, GATEWARDEN_BASE_PATH: basePath, GATEWARDEN_PUBLIC_URL: publicUrl }: Values) => {
  if (publicUrl !== undefined || PORT === 0 || !isLoopback(HOST)) return undefined
  const host = HOST.includes(":") ? `[${HOST}]` : HOST
  return `http://${host}:${PORT}${basePath === "/" ? "" : basePath}/errors/`
}

/** The core's settings as a configuration gives them. */
export const settingsOf = (values: Values): ServerOptions<never, never>["settings"] => ({
  basePath: values.GATEWARDEN_BASE_PATH,
  docUrl: values.GATEWARDEN_DOC_URL ?? localDocUrl(values),
  publicUrl: values.GATEWARDEN_PUBLIC_URL,
  addressOfRequest: isLoopback(values.HOST),
  authPage: values.GATEWARDEN_AUTH_PAGE,
  analyticsTimeoutMillis: values.GATEWARDEN_ANALYTICS_TIMEOUT_MS,
  wire: values.GATEWARDEN_WIRE,
  region: regionPolicy(values),
  bodies: {
    firstByteMillis: values.GATEWARDEN_BODY_FIRST_BYTE_MS,
    graceMillis: values.GATEWARDEN_BODY_TIMEOUT_MS,
    minBytesPerSecond: values.GATEWARDEN_BODY_BYTES_PER_SECOND,
    uploads: {
      process: values.GATEWARDEN_UPLOAD_BYTES_IN_FLIGHT,
      key: values.GATEWARDEN_UPLOAD_BYTES_IN_FLIGHT_PER_KEY
    },
    // A string may take two bytes for each that arrived.
    json: {
      process: Math.min(values.GATEWARDEN_JSON_BYTES_IN_FLIGHT, Math.floor(heap / 4)),
      key: values.GATEWARDEN_JSON_BYTES_IN_FLIGHT_PER_KEY
    },
    values: { process: Math.floor(heap / 8), key: Math.floor(heap / 8 / accountShare / keyShare) },
    answers: {
      process: values.GATEWARDEN_ANSWER_BYTES_IN_FLIGHT,
      key: values.GATEWARDEN_ANSWER_BYTES_IN_FLIGHT_PER_KEY
    }
  },
  storage: storageLimitsOf(values)
})

const regionPolicy = (values: Values): RegionPolicy => {
  if (values.GATEWARDEN_REGION !== undefined) return { fixed: values.GATEWARDEN_REGION }
  if (values.GATEWARDEN_REGION_HOSTS === undefined) return {}
  return { hosts: values.GATEWARDEN_REGION_HOSTS, trustedProxies: values.GATEWARDEN_TRUST_PROXY }
}
