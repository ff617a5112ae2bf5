/**
 * JavaScript values as parameters of a host's driver.
 *
 * Each value has the type that `@effect/sql-pg` gives it: the statement names it where the other driver declares it, and a
 * string stays untyped in both. Values are sent as text, bytes as they are.
 */
import { PgTypes } from "@effect/sql-pg"
import { type ArrayElement, arrayLiteral, instantText } from "../statements/literals.ts"

const int32 = 2 ** 31

/** `int8Array` is called `int8[]` in SQL. */
const typeNames = new Map<number, string>(
  Object.entries(PgTypes.OID).map(([name, oid]) => [oid, name.replace(/Array$/, "[]")])
)

const typeOf = (value: unknown): string | undefined => {
  switch (typeof value) {
    case "boolean":
      return "bool"
    case "bigint":
      return "int8"
    case "number":
      if (!Number.isSafeInteger(value)) return "float8"
      return value >= -int32 && value < int32 ? "int4" : "int8"
    default:
      if (PgTypes.isParameter(value)) return typeNames.get(value.oid)
      if (Array.isArray(value)) return arrayTypeOf(value)
      if (value instanceof Date) return "timestamptz"
      return value instanceof Uint8Array ? "bytea" : undefined
  }
}

/** An empty array, or one of nothing but nulls, leaves its type to the statement. */
const arrayTypeOf = (values: readonly unknown[]): string | undefined => {
  const first = values.find((value) => value !== null && value !== undefined)
  return first === undefined ? undefined : `${typeOf(first) ?? "text"}[]`
}

/** `$1::int4`: the place of a parameter in a statement. */
export const placeholder = (index: number, value: unknown): string => {
  const type = typeOf(value)
  return type === undefined ? `$${index}` : `$${index}::${type}`
}

const elementOf = (value: unknown): ArrayElement => {
  if (value instanceof Date) return instantText(value)
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString("hex")}`
  if (value === null || value === undefined) return null
  switch (typeof value) {
    case "string":
    case "number":
    case "bigint":
    case "boolean":
      return value
    default:
      throw new TypeError(`A ${typeof value} is no parameter`)
  }
}

const isJson = (oid: number): boolean => typeNames.get(oid)?.startsWith("json") === true

const parameterValue = ({ oid, value }: PgTypes.Parameter): unknown => {
  if (!isJson(oid) || value === null) return value
  return Array.isArray(value) && typeNames.get(oid)?.endsWith("[]")
    ? value.map((element) => (element === null ? null : JSON.stringify(element)))
    : JSON.stringify(value)
}

/** A parameter as the driver takes it. */
export const bound = (given: unknown): string | Uint8Array | null => {
  const value = PgTypes.isParameter(given) ? parameterValue(given) : given
  if (value instanceof Uint8Array) return value
  if (Array.isArray(value)) return arrayLiteral(value.map(elementOf))
  const element = elementOf(value)
  return element === null || element === undefined ? null : String(element)
}
