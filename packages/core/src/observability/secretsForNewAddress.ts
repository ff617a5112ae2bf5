/**
 * The stored secrets that a PATCH would lead to another host.
 *
 * Rule: observability#new-addresses. A management key may change a destination and never read its secrets; without this it would change the
 * address to a host of its own and receive them.
 */
import { type Destination, destinationTypes } from "@gatewarden/contract"
import { isSameHost } from "./isSameHost.ts"

type Type = Destination["type"]
type Fields = Readonly<Record<string, unknown>>

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

/** For an address with another host. Paths of the secrets that have to be sent again; names of headers are not repeated. */
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
