/** Every field of a request that can name a thing of an account is tried with another account's. */
import { openApiDocument } from "@gatewarden/contract"
import { assert, it } from "@effect/vitest"
import { foreignFields, namesNothing } from "@gatewarden/testkit/tenancy/foreignNames"

interface Schema {
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
}

interface Described {
  readonly operationId: string
  readonly parameters?: readonly { readonly name: string; readonly in: string }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
}

const document = JSON.parse(JSON.stringify(openApiDocument())) as {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> }
}

const isName = (field: string): boolean => /(?:^|_)(?:id|ids|hash|hashes)$/.test(field)

/** The fields that look like names, with their paths. A schema that contains itself is read once. */
const fieldsOf = (schema: Schema, path: string, above: readonly string[]): readonly string[] => {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split("/").at(-1) ?? ""
    return above.includes(name) ? [] : fieldsOf(document.components.schemas[name] ?? {}, path, [...above, name])
  }
  const parts = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])]
  return [
    ...Object.entries(schema.properties ?? {}).flatMap(([name, value]) => [
      ...(isName(name) ? [`${path}${name}`] : []),
      ...fieldsOf(value, `${path}${name}.`, above)
    ]),
    ...(schema.items === undefined ? [] : fieldsOf(schema.items, `${path}[].`, above)),
    ...parts.flatMap((part) => fieldsOf(part, path, above))
  ]
}

const described = Object.values(document.paths)
  .flatMap((methods) => Object.values(methods))
  .flatMap(({ operationId, parameters = [], requestBody }) => [
    ...parameters
      .filter((each) => each.in === "query" && isName(each.name))
      .map(({ name }) => `${operationId} query.${name}`),
    // Lines are the items of the same list.
    ...Object.entries(requestBody?.content ?? {}).flatMap(([type, { schema }]) =>
      type === "application/x-ndjson" ? [] : fieldsOf(schema, "", []).map((field) => `${operationId} ${field}`)
    )
  ])

it("knows every field that can name a thing of an account", () => {
  const known = new Set(foreignFields.map(({ operation, field }) => `${operation} ${field}`))
  const unknown = [...new Set(described)].filter(
    (each) => !known.has(each) && !namesNothing.has(each.split(" ")[1] ?? "")
  )
  assert.deepEqual(unknown, [])
})

it("has no row for a field that there is not", () => {
  const all = new Set(described)
  assert.deepEqual(
    foreignFields.map(({ operation, field }) => `${operation} ${field}`).filter((each) => !all.has(each)),
    []
  )
})
