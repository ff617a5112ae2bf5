import { openApiDocument } from "@gatewarden/contract"
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

  it("is what docs/openapi.json says (npm run openapi writes it)", async () => {
    const file = new URL("../../../docs/openapi.json", import.meta.url)
    assert.deepEqual(JSON.parse(await readFile(file, "utf8")), document)
  })
})
