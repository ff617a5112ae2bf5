/**
 * Merges the fields of a PATCH into the stored config of a destination.
 *
 * Rule: observability#merged-configs. A client reads a config, with masks in place of secrets, edits it and sends all of it back. A mask that
 * comes back unchanged stands for the stored secret; any other text that is shaped like a mask would silently replace a secret, so it is
 * refused.
 */
import { type Destination, destinationTypes } from "@gatewarden/contract"
import { looksMasked } from "../vault/maskSecret.ts"
import { maskConfig, type Secrecy, secrecyOf } from "./maskConfig.ts"
import { looksMaskedDsn, looksMaskedUrl } from "./maskUrl.ts"

type Fields = Readonly<Record<string, unknown>>

export interface MergedConfig {
  /** Not checked: fields may be missing or of a wrong type. */
  readonly config: Fields
  /** Where a masked value is not what is shown of the stored one. Names of headers are not repeated: one may be a credential. */
  readonly masked: readonly string[]
}

const fieldsOfType = new Map<string, ReadonlySet<string>>(
  destinationTypes.map(({ type, config }) => [type, new Set(Object.keys(config.shape))])
)

const isMaskIn: Readonly<Record<Secrecy, (text: string) => boolean>> = {
  abbreviated: looksMasked,
  asterisks: looksMasked,
  headers: looksMasked,
  url: looksMaskedUrl,
  dsn: looksMaskedDsn
}

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const memberOf = (fields: unknown, name: string): unknown =>
  isFields(fields) && Object.hasOwn(fields, name) ? fields[name] : undefined

/** Ignores fields that the type does not have. `null` removes a field: its default returns, or the check finds it missing. */
export const mergeConfig = (type: Destination["type"], stored: Destination["config"], sent: Fields): MergedConfig => {
  const shown = maskConfig(type, stored)
  const masked = new Set<string>()

  /** The stored value for its mask, any other value for itself. */
  const meant = (field: string, value: unknown, from: unknown, mask: unknown): unknown => {
    if (from !== undefined && value === mask) return from
    if (typeof value === "string" && isMaskIn[secrecyOf(type, field)](value)) masked.add(`config.${field}`)
    return value
  }

  const meantHeaders = (headers: Fields): Fields => {
    const [from, masks] = [memberOf(stored, "headers"), memberOf(shown, "headers")]
    return Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [
        name,
        meant("headers", value, memberOf(from, name), memberOf(masks, name))
      ])
    )
  }

  const config = new Map<string, unknown>(Object.entries(stored))
  for (const [field, value] of Object.entries(sent)) {
    if (fieldsOfType.get(type)?.has(field) !== true) continue
    if (value === null) config.delete(field)
    else if (field === "headers" && isFields(value)) config.set(field, meantHeaders(value))
    else config.set(field, meant(field, value, memberOf(stored, field), memberOf(shown, field)))
  }
  return { config: Object.fromEntries(config), masked: [...masked] }
}
