/**
 * Every environment variable that the server and the command line read: one row each.
 *
 * Rule: operating#variables. Reading, printing and documentation are made from this table.
 */
import { Region } from "@gatewarden/contract"
import {
  basePathPattern,
  checkKeyFormat,
  docUrlPattern,
  fewestUsageDays,
  mostUsageDays,
  parseKeyring,
  publicUrlPattern
} from "@gatewarden/core/internal"
import { Redacted } from "effect"
import * as z from "zod"
import { bodyVariables } from "./bodyVariables.ts"
import { fileVariables } from "./fileVariables.ts"
import { mailVariables } from "./mailVariables.ts"
import { retentionVariables } from "./retentionVariables.ts"
import { storageVariables } from "./storageVariables.ts"
import { telemetryVariables } from "./telemetryVariables.ts"

export interface Variable {
  /** From the text of the variable to its value; refusals say what is wrong without repeating a secret. */
  readonly schema: z.ZodType<unknown, string>
  /** What is accepted, as it ends the sentence "expected …". */
  readonly expected: string
  readonly meaning: string
  /** Applies when the variable is unset or empty. */
  readonly default?: string
  /** Never shown, and readable from the file that the variable with `_FILE` appended names. `shown` says what may be seen of it. */
  readonly secret?: true
  readonly shown?: (text: string) => string
}

const variable = <const V extends Variable>(row: V): V => row

/** Reads a text with a function that answers a value, or refuses with a reason. */
const parsed = <T>(read: (text: string) => { readonly value: T } | { readonly problem: string }) =>
  z.string().transform((text, context) => {
    const result = read(text)
    if ("value" in result) return result.value
    context.addIssue({ code: "custom", message: result.problem })
    return z.NEVER
  })

const matching = (pattern: RegExp) => z.string().regex(pattern, "is not valid")

const integer = (min: number, max: number) =>
  parsed((text) => {
    const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN
    return value >= min && value <= max ? { value } : { problem: "is not valid" }
  })

const oneOf = <const T extends string>(names: readonly T[]) =>
  parsed((text) => {
    const value = names.find((name) => name === text)
    return value === undefined ? { problem: "is not valid" } : { value }
  })

const flag = oneOf(["0", "1"]).transform((value) => value === "1")

/** Where everything is remembered, as `DATABASE_URL` names it. */
export type Database =
  | { readonly kind: "postgres"; readonly url: Redacted.Redacted<string> }
  | { readonly kind: "memory" }
  | { readonly kind: "embedded" }

const database = parsed((text): { readonly value: Database } | { readonly problem: string } => {
  if (text === "memory:") return { value: { kind: "memory" } }
  if (!/^postgres(?:ql)?:\/\//.test(text)) return { problem: 'is neither a postgres:// URL nor "memory:"' }
  return URL.canParse(text)
    ? { value: { kind: "postgres", url: Redacted.make(text) } }
    : { problem: "is not a URL; percent-encode special characters in user and password" }
})

/** A connection string with its passwords hidden. */
export const withoutPasswords = (text: string): string => {
  if (!URL.canParse(text)) return "<redacted>"
  const url = new URL(text)
  if (url.password !== "") url.password = "***"
  for (const name of ["password", "sslpassword"]) if (url.searchParams.has(name)) url.searchParams.set(name, "***")
  return url.href
}

const managementKey = parsed((text) => {
  if (!/^[\x21-\x7e]{32,256}$/.test(text)) return { problem: "is too short, too long or has other characters" }
  // Such a key would be refused at every request.
  if (checkKeyFormat(text) === "bad_checksum")
    return { problem: "starts like a generated key, but its checksum is wrong" }
  return { value: Redacted.make(text) }
})

const keyring = parsed((text) => {
  const result = parseKeyring(text)
  return "keyring" in result ? { value: result.keyring } : { problem: `is not usable: ${result.problem}` }
})

const regionHosts = parsed((text) => {
  const hosts: Record<string, Region> = Object.create(null)
  for (const entry of text.split(",")) {
    const [name = "", region, ...more] = entry.split("=").map((part) => part.trim())
    const host = name.toLowerCase()
    const known = Region.safeParse(region)
    if (!/^[a-z0-9.-]+$/.test(host) || !known.success || more.length > 0)
      return { problem: `has the invalid entry "${entry}"` }
    if (host in hosts) return { problem: `names the host "${host}" twice` }
    hosts[host] = known.data
  }
  return { value: hosts }
})

const regions = Region.options.map((name) => `"${name}"`).join(", ")

export const variables = {
  HOST: variable({
    schema: matching(/^[^\s/]+$/),
    expected: "a host name or IP address to listen on",
    meaning: "Address to listen on.",
    default: "127.0.0.1"
  }),
  PORT: variable({
    schema: integer(0, 65_535),
    expected: "an integer from 0 to 65535",
    meaning: "Port to listen on; 0 picks a free one.",
    default: "8787"
  }),
  DATABASE_URL: variable({
    schema: database,
    expected: '"postgres://user:password@host/database" or "memory:"',
    meaning:
      "PostgreSQL to keep everything in; unset: an embedded database in GATEWARDEN_DATA_DIR; memory: keeps nothing.",
    secret: true,
    shown: withoutPasswords
  }),
  GATEWARDEN_CLICKHOUSE_URL: variable({
    schema: matching(/^https?:\/\/[^\s]+$/)
      .refine((text) => URL.canParse(text), "is not a URL")
      .transform((text) => Redacted.make(text)),
    expected: '"http://user:password@host:8123/database", or https',
    meaning:
      "ClickHouse to read analytics from; unset: the database. Usage is recorded in the database, and sent there.",
    secret: true,
    shown: withoutPasswords
  }),
  GATEWARDEN_CLICKHOUSE_CLUSTER: variable({
    schema: matching(/^\S+$/),
    expected: "the name of a cluster of the server",
    meaning:
      "Cluster of GATEWARDEN_CLICKHOUSE_URL on whose hosts tables are replicated, and over which accounts are spread."
  }),
  GATEWARDEN_DATA_DIR: variable({
    schema: z.string().min(1),
    expected: "the path of a directory",
    meaning: "Directory of the embedded database, file contents, generated keyring and first management key.",
    default: "./.gatewarden"
  }),
  GATEWARDEN_MANAGEMENT_KEY: variable({
    schema: managementKey,
    expected: "32 to 256 visible ASCII characters",
    meaning: "Management key of the default account, created if absent.",
    secret: true
  }),
  GATEWARDEN_KEYRING: variable({
    schema: keyring,
    expected: "<id>:<base64 of 32 bytes>[,<id>:<base64 of 32 bytes>…]",
    meaning:
      "Keys that secrets are encrypted with, the first is primary. Required with PostgreSQL, generated otherwise.",
    secret: true
  }),
  GATEWARDEN_CATALOG: variable({
    schema: z.string().min(1),
    expected: "the path of a JSON file",
    meaning: "Catalog of models and endpoints that is put into the store at start."
  }),
  GATEWARDEN_SAMPLE_CATALOG: variable({
    schema: flag,
    expected: "0 or 1",
    default: "1",
    meaning:
      "Put the sample catalog into an embedded store that this start creates. Without effect if GATEWARDEN_CATALOG is set."
  }),
  GATEWARDEN_REGION: variable({
    schema: oneOf(Region.options),
    expected: `one of ${regions}`,
    meaning: "Region of the ingress that every request to this process came through."
  }),
  GATEWARDEN_REGION_HOSTS: variable({
    schema: regionHosts,
    expected: `<host>=<region>[,<host>=<region>…] with regions ${regions}`,
    meaning: "Region by Host header, where GATEWARDEN_REGION is unset; only behind a proxy that fixes that header."
  }),
  GATEWARDEN_TRUST_PROXY: variable({
    schema: integer(0, 10),
    expected: "an integer from 0 to 10",
    meaning:
      "Proxies in front. 1 lets the last entry of X-Forwarded-Host stand for Host in GATEWARDEN_REGION_HOSTS; behind more, a list of them is 400.",
    default: "0"
  }),
  GATEWARDEN_WIRE: variable({
    schema: oneOf(["auto", "spec", "openrouter"]),
    expected: 'one of "auto", "spec", "openrouter"',
    meaning: "Wire profile of answers; auto goes by the client's User-Agent.",
    default: "auto"
  }),
  GATEWARDEN_BASE_PATH: variable({
    schema: matching(basePathPattern),
    expected: 'a path such as "/api/v1", without a slash at its end',
    meaning: "Path under which the operations live.",
    default: "/api/v1"
  }),
  GATEWARDEN_DOC_URL: variable({
    schema: matching(docUrlPattern),
    expected: 'an http or https URL that ends with "/", "#" or "="',
    meaning:
      "Address that doc_url of errors begins with; the reason follows. Unset: the server explains reasons itself, below its base path."
  }),
  GATEWARDEN_PUBLIC_URL: variable({
    schema: matching(publicUrlPattern),
    expected: 'an http or https URL without a slash at its end, such as "https://gateway.example.com/api/v1"',
    meaning:
      "Address by which clients know the base path, for the metadata for OAuth clients, the authorization page, and links to confirm in mails. Unset: the first two use the address of each request if HOST is a loopback address and otherwise answer 404, and no recipient of mail can confirm."
  }),
  GATEWARDEN_AUTH_PAGE: variable({
    schema: flag,
    expected: "0 or 1",
    meaning: "0 takes the authorization page at /auth away.",
    default: "1"
  }),
  GATEWARDEN_ANALYTICS_TIMEOUT_MS: variable({
    schema: integer(1, 3_600_000),
    expected: "an integer from 1 to 3600000",
    meaning: "Milliseconds after which an analytics query is given up with 408.",
    default: "30000"
  }),
  GATEWARDEN_ALLOW_PRIVATE_NETWORKS: variable({
    schema: flag,
    expected: "0 or 1",
    meaning: "1 lets outgoing calls reach private addresses.",
    default: "0"
  }),
  GATEWARDEN_PRESIDIO_URL: variable({
    schema: matching(/^https?:\/\/[^\s]+$/),
    expected: "a URL such as http://127.0.0.1:5002",
    meaning: "Where an analyzer of Presidio answers, which finds names of persons and addresses for content filters."
  }),
  GATEWARDEN_STATEMENT_TIMEOUT_MS: variable({
    schema: integer(0, 3_600_000),
    expected: "an integer from 0 to 3600000",
    meaning:
      "Milliseconds after which PostgreSQL gives up a short statement, at most 5 s of them for a lock; 0 = its own settings.",
    default: "30000"
  }),
  GATEWARDEN_ROW_LEVEL_SECURITY: variable({
    schema: z.enum(["on", "off"]),
    expected: "on or off",
    meaning: "on lets PostgreSQL itself hold statements of an account to its rows, as a second wall.",
    default: "off"
  }),
  GATEWARDEN_NOTIFICATIONS: variable({
    schema: flag,
    expected: "0 or 1",
    meaning:
      "0 does without NOTIFY and the connection that listens for it: changes of other processes count a second later.",
    default: "1"
  }),
  GATEWARDEN_DRAIN_DELAY_MS: variable({
    schema: integer(0, 3_600_000),
    expected: "an integer from 0 to 3600000",
    meaning: "Milliseconds after SIGTERM in which connections that are open get refusals instead of being closed.",
    default: "2000"
  }),
  GATEWARDEN_DRAIN_TIMEOUT_MS: variable({
    schema: integer(0, 3_600_000),
    expected: "an integer from 0 to 3600000",
    meaning: "Milliseconds that requests in flight get to finish after SIGTERM.",
    default: "25000"
  }),
  GATEWARDEN_LOG_LEVEL: variable({
    schema: oneOf(["trace", "debug", "info", "warn", "error", "none"]),
    expected: 'one of "trace", "debug", "info", "warn", "error", "none"',
    meaning: "Least severe log line that is written to stderr.",
    default: "info"
  }),
  GATEWARDEN_METRICS: variable({
    schema: flag,
    expected: "0 or 1",
    meaning: "1 serves /metrics on the server's own port, to anyone who reaches it.",
    default: "0"
  }),
  GATEWARDEN_METRICS_PORT: variable({
    schema: integer(0, 65_535),
    expected: "an integer from 0 to 65535",
    meaning: "Port of its own for /metrics, on HOST; 0 picks a free one, named in the log."
  }),
  GATEWARDEN_BACKGROUND: variable({
    schema: flag,
    expected: "0 or 1",
    meaning: "0 leaves background work to the other processes on the database.",
    default: "1"
  }),
  GATEWARDEN_DOCS: variable({
    schema: flag,
    expected: "0 or 1",
    meaning: "0 takes the API page at /docs away.",
    default: "1"
  }),
  ...mailVariables,
  ...fileVariables,
  ...bodyVariables,
  ...storageVariables,
  GATEWARDEN_USAGE_RETENTION_DAYS: variable({
    schema: integer(fewestUsageDays, mostUsageDays),
    expected: `an integer from ${fewestUsageDays} to ${mostUsageDays}`,
    meaning:
      "Days for which usage events are kept. Without it, they are kept for ever. Sums of rankings and budgets stay."
  }),
  ...retentionVariables,
  ...telemetryVariables
} as const satisfies Record<string, Variable>

export type VariableName = keyof typeof variables

/** The values of a valid configuration, by variable; undefined where nothing was given and there is no default. */
export type Values = {
  readonly [Name in VariableName]:
    | z.output<(typeof variables)[Name]["schema"]>
    | ((typeof variables)[Name] extends { readonly default: string } ? never : undefined)
}
