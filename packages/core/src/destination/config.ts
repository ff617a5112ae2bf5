import {
  type Destination,
  type DestinationFilterRules,
  type DestinationType,
  type SecretRendering,
  destinationTypes
} from "@gatewarden/contract/internal"
import { Effect, Redacted } from "effect"
import type { PlacedPattern } from "../guardrail/guardrail.ts"
import { checkInput } from "../value/checkInput.ts"
import type { BadRequest } from "../value/failure.ts"
import { type EncryptionContext, Vault } from "../vault/Vault.ts"
import { looksMasked, maskSecret } from "../vault/maskSecret.ts"
import { looksMaskedDsn, looksMaskedUrl, maskDsn, maskUrl } from "./maskUrl.ts"

const schemas = new Map<DestinationType, (typeof destinationTypes)[number]["config"]>(
  destinationTypes.map(({ type, config }) => [type, config])
)

/**
 * Holds a config to the schema of its type, as the contract does where the type is sent with it.
 *
 * With its defaults, and without fields that the type does not have; 400 names the fields as `config.url`.
 */
export const checkConfig = (
  type: DestinationType,
  config: Readonly<Record<string, unknown>>
): Effect.Effect<Destination["config"], BadRequest> => {
  const schema = schemas.get(type)
  return schema === undefined
    ? Effect.die(new Error(`no destination type ${type}`))
    : checkInput(schema, config, "config.")
}

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

/**
 * Masks a destination's config for responses.
 *
 * Rule: observability#masked-configs.
 *
 * Masks the secrets of the type, the value of every header and secrets in URLs; leaves the rest.
 */
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

/**
 * Merges the fields of a PATCH into the stored config of a destination.
 *
 * Rule: observability#merged-configs. A client reads a config, with masks in place of secrets, edits it and sends all of it back. A mask that
 * comes back unchanged stands for the stored secret; any other text that is shaped like a mask would silently replace a secret, so it is
 * refused.
 *
 * Ignores fields that the type does not have. `null` removes a field: its default returns, or the check finds it missing.
 */
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

/** The table, field and row to which the ciphertext is bound. */
export const contextOfConfig = (
  account_id: string,
  destination: Pick<Destination, "workspace_id" | "id">
): EncryptionContext => ({
  table: "destination",
  field: "config",
  account_id,
  workspace_id: destination.workspace_id,
  row_id: destination.id
})

/** The real config of a destination, as one encrypted JSON text. Rule: observability#masked-configs. */
export const sealConfig: (
  config: Redacted.Redacted<Destination["config"]>,
  context: EncryptionContext
) => Effect.Effect<Uint8Array, never, Vault> = Effect.fnUntraced(function* (config, context) {
  const vault = yield* Vault
  return yield* vault.seal(Redacted.make(JSON.stringify(Redacted.value(config))), context)
})

/** Dies where no key of the keyring decrypts it. */
export const openConfig: (
  sealed: Uint8Array,
  context: EncryptionContext
) => Effect.Effect<Redacted.Redacted<Destination["config"]>, never, Vault> = Effect.fnUntraced(
  function* (sealed, context) {
    const vault = yield* Vault
    const text = yield* Effect.orDie(vault.open(sealed, context))
    return Redacted.make(JSON.parse(Redacted.value(text)) as Destination["config"])
  }
)

/** Scheme, host and port; a host without a scheme is one of HTTPS. What is no URL is a place of its own. */
const placeOf = (address: unknown): string => {
  const text = typeof address === "string" ? address : ""
  try {
    const { protocol, host } = new URL(/^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `https://${text}`)
    return `${protocol}//${host}`
  } catch {
    return text
  }
}

/** Whether two addresses lead to one place, so that a secret may go from one to the other. Rule: observability#new-addresses. */
export const isSameHost = (one: unknown, other: unknown): boolean => placeOf(one) === placeOf(other)

type Type = Destination["type"]
/** The fields that name where a type is. New Relic, Opik and Snowflake have an address of their own if there is none. */
const addressFields: Readonly<Record<Type, string | readonly string[]>> = {
  arize: "baseUrl",
  braintrust: "baseUrl",
  clickhouse: "host",
  datadog: "url",
  grafana: "baseUrl",
  langfuse: "baseUrl",
  langsmith: "endpoint",
  newrelic: "baseUrl",
  opik: "baseUrl",
  "otel-collector": "endpoint",
  posthog: "endpoint",
  ramp: "baseUrl",
  s3: "endpoint",
  sentry: "otlpEndpoint",
  snowflake: ["account", "host"],
  weave: "baseUrl",
  webhook: "url"
}

const secretFields = new Map<string, readonly string[]>(
  destinationTypes.map(({ type, secrets }) => [type, Object.keys(secrets)])
)

const fieldsOf = (value: unknown): Fields => (typeof value === "object" && value !== null ? (value as Fields) : {})

/** Of the fields that are stored and stay, those that were not sent in whole. */
const kept = (names: readonly string[], stored: Fields, sent: Fields, merged: Fields): readonly string[] =>
  names.filter(
    (name) =>
      Object.hasOwn(merged, name) &&
      merged[name] === (Object.hasOwn(stored, name) ? stored[name] : undefined) &&
      (Object.hasOwn(sent, name) ? sent[name] : undefined) !== merged[name]
  )

/** Whether the address has another host. */
export const hasNewAddress = (type: Type, stored: Destination["config"], merged: Destination["config"]): boolean => {
  const [before, after] = [fieldsOf(stored), fieldsOf(merged)]
  return [addressFields[type]].flat().some((field) => !isSameHost(before[field], after[field]))
}

/**
 * The stored secrets that a PATCH would lead to another host.
 *
 * Rule: observability#new-addresses. A management key may change a destination and never read its secrets; without this it would change the
 * address to a host of its own and receive them.
 *
 * For an address with another host. Paths of the secrets that have to be sent again; names of headers are not repeated.
 */
export const secretsForNewAddress = (
  type: Type,
  stored: Destination["config"],
  sent: Fields,
  merged: Destination["config"]
): readonly string[] => {
  const [before, after] = [fieldsOf(stored), fieldsOf(merged)]
  const [headersBefore, headersAfter] = [fieldsOf(before["headers"]), fieldsOf(after["headers"])]
  const headers = kept(Object.keys(headersAfter), headersBefore, fieldsOf(sent["headers"]), headersAfter)
  return [
    ...kept(secretFields.get(type) ?? [], before, sent, after).map((field) => `config.${field}`),
    ...(headers.length === 0 ? [] : ["config.headers"])
  ]
}

/**
 * The regular expressions of filter rules are for traffic that clients shape, so they follow the rule of content filters
 * (Rule: observability#filter-rules).
 */
export const patternsOfRules = ({ groups }: DestinationFilterRules): readonly PlacedPattern[] =>
  groups.flatMap(({ rules }, group) =>
    rules.flatMap(({ operator, value }, rule) =>
      operator === "regex" && typeof value === "string"
        ? [{ path: `filter_rules.groups.${group}.rules.${rule}.value`, pattern: value }]
        : []
    )
  )
