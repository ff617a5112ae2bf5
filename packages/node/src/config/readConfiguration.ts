/**
 * From an environment to a valid configuration, or to everything that is wrong with it at once.
 *
 * Rule: operating#variables. Empty is unset. Secrets may come from the file that `<NAME>_FILE` names. No message repeats one.
 */
import type { Environment } from "./Environment.ts"
import { nearestName } from "@gatewarden/contract/internal"
import { readTelemetry, type Telemetry } from "./readTelemetry.ts"
import { type Database, type Values, type Variable, type VariableName, variables } from "./variables.ts"

/** Where a value came from, and what may be seen of it. */
export interface Entry {
  readonly name: VariableName
  readonly source: "environment" | "file" | "default" | "unset"
  readonly shown: string | null
}

export interface Configuration {
  readonly values: Values
  readonly database: Database
  /** Where traces go; nowhere when undefined. */
  readonly telemetry: Telemetry | undefined
  readonly entries: readonly Entry[]
  /** What is accepted, but most likely not meant. */
  readonly warnings: readonly string[]
}

export interface ConfigurationSources {
  readonly environment: Environment
  /** Reads a text file; throws when it cannot. */
  readonly readFile: (path: string) => string
}

const names = Object.keys(variables) as readonly VariableName[]
const isSecret = (name: VariableName): boolean => "secret" in variables[name]
const fileVariable = (name: VariableName): string => `${name}_FILE`

export const readConfiguration = (
  sources: ConfigurationSources
): { readonly configuration: Configuration } | { readonly errors: readonly string[] } => {
  const errors: string[] = []
  const entries: Entry[] = []
  const values: Record<string, unknown> = {}
  const given = (name: string): string | undefined => sources.environment[name] || undefined

  const find = (
    name: VariableName,
    variable: Variable
  ): { readonly text: string; readonly source: Entry["source"] } | undefined => {
    const text = given(name)
    const path = isSecret(name) ? given(fileVariable(name)) : undefined
    if (text !== undefined && path !== undefined)
      errors.push(`${name} and ${fileVariable(name)} are both set; expected one of them`)
    if (text !== undefined) return { text, source: "environment" }
    if (path === undefined)
      return variable.default === undefined ? undefined : { text: variable.default, source: "default" }
    try {
      return { text: sources.readFile(path).replace(/\r?\n$/, ""), source: "file" }
    } catch (cause) {
      const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : ""
      errors.push(`${fileVariable(name)}: "${path}" cannot be read${code}; expected the path of a readable file`)
      return undefined
    }
  }

  for (const name of names) {
    const variable: Variable = variables[name]
    const found = find(name, variable)
    if (found === undefined) {
      entries.push({ name, source: "unset", shown: null })
      continue
    }
    const { text, source } = found
    entries.push({ name, source, shown: isSecret(name) ? (variable.shown?.(text) ?? "<redacted>") : text })
    const result = variable.schema.safeParse(text)
    if (result.success) values[name] = result.data
    else {
      const problem = result.error.issues[0]?.message ?? "is not valid"
      errors.push(`${name}: ${isSecret(name) ? "the value" : `"${text}"`} ${problem}; expected ${variable.expected}`)
    }
  }

  // Every row was read with its own schema.
  const checked = values as Values
  const database = checked.DATABASE_URL ?? { kind: "embedded" }
  if (
    database.kind === "postgres" &&
    !entries.some(({ name, source }) => name === "GATEWARDEN_KEYRING" && source !== "unset")
  )
    errors.push(
      `GATEWARDEN_KEYRING: missing, and required with PostgreSQL; expected ${variables.GATEWARDEN_KEYRING.expected}, ` +
        `for example GATEWARDEN_KEYRING="k1:$(openssl rand -base64 32)"`
    )
  const isGiven = (name: VariableName) => entries.some((entry) => entry.name === name && entry.source !== "unset")
  if (checked.GATEWARDEN_FILE_STORAGE !== undefined)
    for (const name of ["GATEWARDEN_S3_ACCESS_KEY_ID", "GATEWARDEN_S3_SECRET_ACCESS_KEY"] as const)
      if (!isGiven(name))
        errors.push(`${name}: missing, and required with GATEWARDEN_FILE_STORAGE; expected ${variables[name].expected}`)
  if (checked.GATEWARDEN_SMTP_URL !== undefined && !isGiven("GATEWARDEN_SMTP_FROM"))
    errors.push(
      `GATEWARDEN_SMTP_FROM: missing, and required with GATEWARDEN_SMTP_URL; expected ${variables.GATEWARDEN_SMTP_FROM.expected}`
    )
  if (errors.length > 0) return { errors }
  const { telemetry, warnings } = readTelemetry(checked)
  return {
    configuration: {
      values: checked,
      database,
      telemetry,
      entries,
      warnings: [...warningsOf(sources.environment, checked, given), ...warnings]
    }
  }
}

const prefix = "GATEWARDEN_"

const libpqVariables = ["PGHOST", "PGHOSTADDR", "PGPORT", "PGDATABASE", "PGUSER", "PGPASSWORD", "PGSERVICE"]

const withoutPrefix = (name: string): string => (name.startsWith(prefix) ? name.slice(prefix.length) : name)

const warningsOf = (
  environment: Environment,
  values: Values,
  given: (name: string) => string | undefined
): readonly string[] => {
  const warnings: string[] = []
  const known = names.flatMap((name) => (isSecret(name) ? [name, fileVariable(name)] : [name]))
  for (const name of Object.keys(environment)) {
    if (!name.startsWith(prefix) || known.includes(name)) continue
    // The prefix makes names alike that are not.
    const meant = nearestName(withoutPrefix(name), known.map(withoutPrefix))
    const nearest = known.find((one) => withoutPrefix(one) === meant)
    warnings.push(`${name} is not a variable of Gatewarden${nearest === undefined ? "" : `; did you mean ${nearest}?`}`)
  }
  const half = libpqVariables.filter((name) => given(name) !== undefined)
  if (values.DATABASE_URL === undefined && half.length > 0)
    warnings.push(`${half.join(", ")} set, but DATABASE_URL is not: the embedded database is used`)
  const ofBucket = names.filter((name) => name.startsWith("GATEWARDEN_S3_") && given(name) !== undefined)
  if (values.GATEWARDEN_FILE_STORAGE === undefined && ofBucket.length > 0)
    warnings.push(`${ofBucket.join(", ")} set, but GATEWARDEN_FILE_STORAGE is not: files are kept in no bucket`)
  if (values.GATEWARDEN_REGION !== undefined && values.GATEWARDEN_REGION_HOSTS !== undefined)
    warnings.push("GATEWARDEN_REGION_HOSTS has no effect while GATEWARDEN_REGION is set")
  return warnings
}
