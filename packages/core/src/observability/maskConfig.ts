/**
 * Masks a destination's config for responses.
 *
 * Rule: observability#masked-configs.
 */
import { type Destination, destinationTypes, type SecretRendering } from "@gatewarden/contract"
import { maskUrl } from "./maskUrl.ts"
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

/** A DSN is meant to be public, including its userinfo. */
const isPublic = (name: string): boolean => name === "dsn"

/** Masks the secrets of the type, the value of every header and secrets in URLs; leaves the rest. */
export const maskConfig = <C extends Destination["config"]>(type: Destination["type"], config: C): C => {
  const secrets = secretsByType.get(type) ?? {}
  return mapValues(config, (name, value) => {
    if (name === "headers" && typeof value === "object" && value !== null)
      return mapValues(value, (_, header) => masked("abbreviated", header))
    const rendering = secrets[name]
    if (rendering !== undefined) return masked(rendering, value)
    return typeof value === "string" && !isPublic(name) ? maskUrl(value) : value
  }) as C
}
