/**
 * Values that a JSON Schema of the OpenAPI document describes: what a client may think of that has read the documentation.
 *
 * Rules that a schema cannot say (pairs of fields, decimals of an amount) are broken now and then, which is as it should be:
 * the answer is then 400 on every store.
 */
import * as fc from "fast-check"

export type JsonSchema = Readonly<Record<string, unknown>>
export type Tie = (name: string) => fc.Arbitrary<unknown>

const referencePrefix = "#/components/schemas/"

const schemas = (value: unknown): readonly JsonSchema[] => (Array.isArray(value) ? (value as JsonSchema[]) : [])
const number = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined)

/** `tie` gives the arbitrary of a named component, so that schemas may refer to themselves. */
export const fromJsonSchema = (schema: JsonSchema, tie: Tie): fc.Arbitrary<unknown> => {
  const { $ref, type, anyOf, oneOf, allOf } = schema
  if (typeof $ref === "string") return tie($ref.slice(referencePrefix.length))
  if ("const" in schema) return fc.constant(schema["const"])
  if (Array.isArray(schema["enum"])) return fc.constantFrom(...(schema["enum"] as unknown[]))
  const alternatives = schemas(anyOf ?? oneOf)
  if (alternatives.length > 0)
    return fc.oneof(
      { maxDepth: 4, depthIdentifier: "schema" },
      ...alternatives.map((alternative) => ({
        arbitrary: fromJsonSchema(alternative, tie),
        weight: alternative["type"] === "null" ? 1 : 4
      }))
    )
  if (Array.isArray(allOf))
    return fc
      .tuple(...schemas(allOf).map((part) => fromJsonSchema(part, tie)))
      .map((parts) => Object.assign({}, ...parts))
  if (Array.isArray(type))
    return fc.oneof(...(type as string[]).map((one) => fromJsonSchema({ ...schema, type: one }, tie)))
  switch (type) {
    case "string":
      return fromString(schema)
    case "integer":
      return fromInteger(schema)
    case "number":
      return fromNumber(schema)
    case "boolean":
      return fc.boolean()
    case "null":
      return fc.constant(null)
    case "array":
      return fromArray(schema, tie)
    case "object":
      return fromObject(schema, tie)
    default:
      return anything
  }
}

const anything = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, "x", [], {}, { type: "json_object" }, ["a", 1], { nested: { deep: [null] } }),
  fc.integer(),
  fc.string({ maxLength: 8 })
)

/** Characters that stores and parsers are known to stumble over, beside plain ones; no U+0000 and no half of a pair. */
const character = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(..."abcxyz019-_.") },
  { weight: 2, arbitrary: fc.constantFrom(..." '\"\\%$:/{}[]\t\n") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "é",
      "ß",
      "İ",
      "日",
      "\u0301",
      "\u200b",
      "\u2028",
      "🙂",
      "\u{10ffff}",
      "\u0001",
      "\u007f"
    )
  }
)

const textOf = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.oneof(
    {
      weight: 16,
      arbitrary: fc.string({ unit: character, minLength, maxLength: Math.min(maxLength, minLength + 12) })
    },
    // Both ends of the range, in characters of one and of two code units.
    ...(maxLength <= 20_000
      ? [{ weight: 1, arbitrary: fc.constantFrom("a", "🙂").map((unit) => unit.repeat(maxLength)) }]
      : []),
    { weight: 1, arbitrary: fc.constantFrom("a", "🙂").map((unit) => unit.repeat(minLength)) }
  )

const instant = fc
  .oneof(
    fc.integer({ min: -400, max: 400 }).map((hours) => hours * 3_600_000),
    fc.integer({ min: -1e9, max: 1e9 })
  )
  .map((offset) => new Date(Date.parse("2026-03-04T12:00:00.000Z") + offset).toISOString())

/** Looking ahead is not something that can be generated, but something that can be asked afterwards. */
const matching = (pattern: string): fc.Arbitrary<string> => {
  const whole = new RegExp(pattern, "u")
  const generated = pattern.replace(/\(\?<?[=!][^()]*\)/g, "")
  const texts = fc.stringMatching(new RegExp(generated, "u"), { size: "-1" })
  return generated === pattern ? texts : texts.filter((text) => whole.test(text))
}

const fromString = (schema: JsonSchema): fc.Arbitrary<string> => {
  const { format, pattern } = schema
  if (format === "uuid") return fc.uuid()
  if (format === "date-time")
    return fc.tuple(instant, fc.boolean()).map(([at, whole]) => (whole ? `${at.slice(0, 19)}Z` : at))
  if (format === "date") return instant.map((at) => at.slice(0, 10))
  if (typeof pattern === "string") return matching(pattern)
  return textOf(number(schema["minLength"]) ?? 0, number(schema["maxLength"]) ?? 40)
}

const bounds = (schema: JsonSchema, widest: number) => {
  const min = number(schema["minimum"]) ?? number(schema["exclusiveMinimum"]) ?? -widest
  return { min, max: Math.max(min, number(schema["maximum"]) ?? number(schema["exclusiveMaximum"]) ?? widest) }
}

const fromInteger = (schema: JsonSchema): fc.Arbitrary<number> => {
  const { min, max } = bounds(schema, Number.MAX_SAFE_INTEGER)
  return fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min, max: Math.min(max, min + 100) }) },
    { weight: 1, arbitrary: fc.constantFrom(min, max) },
    { weight: 1, arbitrary: fc.integer({ min, max }) }
  )
}

const fromNumber = (schema: JsonSchema): fc.Arbitrary<number> => {
  const { min, max } = bounds(schema, 1e12)
  const within = (value: number) => Math.min(max, Math.max(min, value))
  return fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: 0, max: 100_000 }).map((cents) => within(cents / 100)) },
    {
      weight: 2,
      arbitrary: fc.integer({ min: 0, max: 999_999_999 }).map((nanos) => within(Number((nanos / 1e9).toFixed(9))))
    },
    { weight: 1, arbitrary: fc.constantFrom(min, max, within(0), within(1)) },
    { weight: 1, arbitrary: fc.double({ min, max, noNaN: true }) }
  )
}

const fromArray = (schema: JsonSchema, tie: Tie): fc.Arbitrary<unknown> => {
  if (Array.isArray(schema["prefixItems"]))
    return fc.tuple(...schemas(schema["prefixItems"]).map((item) => fromJsonSchema(item, tie)))
  const min = number(schema["minItems"]) ?? 0
  const max = number(schema["maxItems"]) ?? 1000
  const item = fromJsonSchema((schema["items"] as JsonSchema | undefined) ?? {}, tie)
  return fc.oneof(
    {
      weight: 12,
      arbitrary: fc.array(item, { minLength: min, maxLength: Math.min(max, min + 3), depthIdentifier: "schema" })
    },
    { weight: 1, arbitrary: item.map((one) => Array.from({ length: Math.min(max, 200) }, () => one)) }
  )
}

const fromObject = (schema: JsonSchema, tie: Tie): fc.Arbitrary<unknown> => {
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, JsonSchema>>
  const declared = members(
    Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, fromJsonSchema(property, tie)])),
    (schema["required"] ?? []) as readonly string[]
  )
  const rest = schema["additionalProperties"]
  if (typeof rest !== "object" || rest === null) return declared
  const others = fc.dictionary(
    fc.constantFrom("a", "b", "trace", "x-y", "é"),
    fromJsonSchema(rest as JsonSchema, tie),
    { maxKeys: 3 }
  )
  return fc.tuple(others, declared).map(([more, own]) => ({ ...more, ...(own as object) }))
}

/** An object with every required member and some of the others, so that most large bodies stay valid. */
export const members = (
  arbitraries: Readonly<Record<string, fc.Arbitrary<unknown>>>,
  required: readonly string[]
): fc.Arbitrary<Record<string, unknown>> => {
  const names = Object.keys(arbitraries)
  const optional = names.length - required.length
  // About three optional members, however many there are.
  const absent = { weight: Math.max(1, Math.ceil(optional / 3) - 1), arbitrary: fc.constant(undefined) }
  return fc
    .record(
      Object.fromEntries(
        Object.entries(arbitraries).map(([name, arbitrary]) => [
          name,
          required.includes(name) ? arbitrary : fc.oneof({ withCrossShrink: true }, absent, { weight: 1, arbitrary })
        ])
      )
    )
    .map((object) => Object.fromEntries(Object.entries(object).filter(([, member]) => member !== undefined)))
}
