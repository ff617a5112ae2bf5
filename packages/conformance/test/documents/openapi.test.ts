import { ErrorEnvelope, errorMessages, openApiDocument } from "@gatewarden/contract"
import { assert, describe, it } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import { readFile } from "node:fs/promises"

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
    const file = new URL("../../../../docs/openapi.json", import.meta.url)
    assert.deepEqual(JSON.parse(await readFile(file, "utf8")), document)
  })
})
