import { ErrorEnvelope, errorMessages, openApiDocument } from "@gatewarden/contract"
import { assert, describe, it } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import { readFile } from "node:fs/promises"
import { timestampPlaces } from "@gatewarden/conformance/internal/http/timestamps"

const document = JSON.parse(JSON.stringify(openApiDocument())) as Record<string, unknown>

describe("the OpenAPI document", () => {
  it("is valid OpenAPI 3.1", async () => {
    const validator = new Validator()
    const result = await validator.validate(structuredClone(document))
    assert.isTrue(result.valid, JSON.stringify(result.errors, null, 2))
    assert.strictEqual(validator.version, "3.1")
  })

  it("refers to nothing that it does not have", () => {
    const text = JSON.stringify(document)
    const { components } = document as { components: Record<string, Record<string, unknown>> }
    const missing = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/(\w+)"/g)]
      .filter(([, section = "", name = ""]) => components[section]?.[name] === undefined)
      .map(([reference]) => reference)
    assert.deepEqual(missing, [])
  })

  it("shows an answer of every error status", () => {
    const { components } = document as {
      components: {
        responses: Record<string, { content: Record<string, { examples: Record<string, { value: unknown }> }> }>
      }
    }
    for (const [status, message] of Object.entries(errorMessages)) {
      const examples = Object.values(
        components.responses[`Error${status}`]?.content["application/json"]?.examples ?? {}
      )
      assert.isNotEmpty(examples, status)
      for (const { value } of examples) {
        const { error } = ErrorEnvelope.parse(value)
        assert.strictEqual(error.code, Number(status))
        // What a data plane answers has texts of its own.
        if (status !== "402") assert.strictEqual(error.message, message)
      }
    }
  })

  it("says which parameters and bodies a request must have", () => {
    type Parameter = { readonly name: string; readonly in: string; readonly required: boolean }
    const { paths } = document as {
      paths: Record<string, Record<string, { parameters?: readonly Parameter[]; requestBody?: { required: boolean } }>>
    }
    const named = (path: string) =>
      Object.entries(paths[path] ?? {}).flatMap(([method, { parameters = [], requestBody }]) => [
        ...parameters.flatMap((parameter) =>
          parameter.required ? [`${method} ${parameter.in} ${parameter.name}`] : []
        ),
        ...(requestBody?.required === true ? [`${method} body`] : [])
      ])
    assert.deepEqual(named("/generation"), ["get query id"])
    assert.deepEqual(named("/gateway/invoices"), ["get query month", "get query by"])
    assert.deepEqual(named("/scim/group-mappings/{id}"), [
      "get path id",
      "patch path id",
      "patch body",
      "delete path id",
      "delete query keep_members"
    ])
    assert.deepEqual(named("/keys/{hash}/rotate"), ["post path hash"])
    assert.deepEqual(named("/activity"), [])
  })

  // A schema of a request that is documented as a time without being `instant` would take other texts.
  it("has cases for every timestamp of a request", () => {
    interface Schema {
      readonly $ref?: string
      readonly format?: string
      readonly properties?: Readonly<Record<string, Schema>>
      readonly items?: Schema
      readonly anyOf?: readonly Schema[]
      readonly oneOf?: readonly Schema[]
      readonly allOf?: readonly Schema[]
    }
    interface Described {
      readonly operationId: string
      readonly parameters?: readonly { readonly name: string; readonly in: string; readonly schema: Schema }[]
      readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> }
    }
    const { paths, components } = document as unknown as {
      paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
      components: { schemas: Readonly<Record<string, Schema>> }
    }
    const timesIn = (schema: Schema, path: string, within: readonly string[] = []): readonly string[] => {
      const name = schema.$ref?.split("/").at(-1)
      if (name !== undefined) {
        const meant = components.schemas[name]
        return meant === undefined || within.includes(name) ? [] : timesIn(meant, path, [...within, name])
      }
      return [
        ...(schema.format === "date-time" ? [path] : []),
        ...Object.entries(schema.properties ?? {}).flatMap(([field, value]) =>
          timesIn(value, `${path}.${field}`, within)
        ),
        ...(schema.items === undefined ? [] : timesIn(schema.items, `${path}.0`, within)),
        ...[schema.anyOf, schema.oneOf, schema.allOf].flatMap((schemas) =>
          (schemas ?? []).flatMap((each) => timesIn(each, path, within))
        )
      ]
    }
    const found = Object.values(paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ operationId, parameters = [], requestBody }) =>
        [
          ...parameters.flatMap((parameter) => timesIn(parameter.schema, `${parameter.in}.${parameter.name}`)),
          ...Object.entries(requestBody?.content ?? {}).flatMap(([type, { schema }]) =>
            timesIn(schema, "").map((path) => (type.includes("ndjson") ? `lines.0${path}` : path.slice(1)))
          )
        ].map((path) => `${operationId} ${path}`)
      )
    assert.sameMembers(
      [...new Set(found)],
      timestampPlaces.map(({ operation, path }) => `${operation} ${path}`)
    )
  })

  it("begins with what a newcomer needs first", () => {
    const { paths, tags } = document as { paths: object; tags: readonly { name: string; description?: string }[] }
    assert.deepEqual(Object.keys(paths).slice(0, 2), ["/key", "/keys"])
    assert.deepEqual(
      tags.slice(0, 3).map(({ name }) => name),
      ["Keys", "Guardrails", "Gateway"]
    )
    for (const { name, description } of tags) assert.isString(description, name)
  })

  it("is what docs/openapi.json says (npm run openapi writes it)", async () => {
    const file = new URL("../../../docs/openapi.json", import.meta.url)
    assert.deepEqual(JSON.parse(await readFile(file, "utf8")), document)
  })
})
