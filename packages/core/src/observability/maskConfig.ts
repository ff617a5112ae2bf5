/**
 * Masks a destination's config for responses.
 *
 * Rule: observability#masked-configs.
 */
import { type Destination, destinationTypes, type SecretRendering } from "@gatewarden/contract"
import { maskDsn, maskUrl } from "./maskUrl.ts"
import { maskSecret } from "../vault/maskSecret.ts"

const secretsByType = new Map<string, Readonly<Record<string, SecretRendering | undefined>>>(
  destinationTypes.map(({ type, secrets }) => [type, secrets])
)

const renderings: Record<SecretRendering, (secret: string) => string> = {
  abbreviated: maskSecret,
  asterisks: () => "********"
}

const mapValues = (record: object, map: (name: string, value: unknown) => unknown): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(name, value)]))

const masked = (rendering: SecretRendering, value: unknown): unknown =>
  typeof value === "string" ? renderings[rendering](value) : value

/** What of a field is secret: all of it, each value of its headers, what a URL may hold, or of a DSN what follows its public key. */
export type Secrecy = SecretRendering | "headers" | "url" | "dsn"

export const secrecyOf = (type: Destination["type"], field: string): Secrecy => {
  if (field === "headers") return "headers"
  return secretsByType.get(type)?.[field] ?? (field === "dsn" ? "dsn" : "url")
}

/** Masks the secrets of the type, the value of every header and secrets in URLs; leaves the rest. */
export const maskConfig = <C extends Destination["config"]>(type: Destination["type"], config: C): C =>
  mapValues(config, (name, value) => {
    const secrecy = secrecyOf(type, name)
    if (secrecy === "headers")
      return typeof value === "object" && value !== null
        ? mapValues(value, (_, header) => masked("abbreviated", header))
        : value
    if (secrecy === "url") return typeof value === "string" ? maskUrl(value) : value
    if (secrecy === "dsn") return typeof value === "string" ? maskDsn(value) : value
    return masked(secrecy, value)
  }) as C
