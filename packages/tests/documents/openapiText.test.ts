/** What the OpenAPI document tells its readers: a description of every field, an error of every status, ids like real ones. */
import { contractVersion, openApiDocument } from "@gatewarden/contract/internal"
import { assert, describe, it } from "@effect/vitest"
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"

interface Schema {
  readonly $ref?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
}
type Examples = Readonly<Record<string, { readonly value: unknown }>>
interface Content {
  readonly schema: Schema
  readonly example?: unknown
  readonly examples?: Examples
}
interface Response {
  readonly $ref?: string
  readonly content?: Readonly<Record<string, Content>>
}
interface Described {
  readonly operationId: string
  readonly parameters?: readonly {
    readonly name: string
    readonly description?: string
    readonly schema: Schema
    readonly example?: unknown
  }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Content>> }
  readonly responses: Readonly<Record<string, Response>>
}

const document = JSON.parse(JSON.stringify(openApiDocument())) as {
  readonly info: { readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Described>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly responses: Readonly<Record<string, Response>>
  }
}
const described = Object.values(document.paths).flatMap((methods) => Object.values(methods))

const nameOf = (reference: string): string => reference.split("/").at(-1) ?? ""

/** A reference without a description of its own has that of its component. */
const descriptionOf = ({ description, $ref }: Schema): string | undefined =>
  description ?? ($ref === undefined ? undefined : document.components.schemas[nameOf($ref)]?.description)

/** Words of a text that its field does not have in its name, case and plural aside. */
const newWords = (name: string, text: string): readonly string[] => {
  const plain = (word: string) => word.toLowerCase().replace(/s$/, "")
  const known = new Set([...name.split(/_|(?=[A-Z])/).map(plain), "the", "a", "an", "of"])
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== "" && !known.has(plain(word)))
}

/** What is wrong with the description of a field. */
const fault = (name: string, description: string | undefined): string | undefined =>
  description === undefined
    ? "has no description"
    : description.trim().split(/\s+/).length < 3
      ? `has less than three words: ${description}`
      : newWords(name, description).length === 0
        ? `repeats its name: ${description}`
        : /[.!?]\)?$/.test(description)
          ? undefined
          : `is no sentence: ${description}`

/** Every property below a value, with its path. Examples are values, and no schemas. */
const propertiesIn = (
  value: unknown,
  path: string
): readonly (readonly [path: string, name: string, schema: Schema])[] =>
  typeof value !== "object" || value === null
    ? []
    : Object.entries(value).flatMap(([key, member]) =>
        key === "example" || key === "examples" || key === "default" || key === "enum"
          ? []
          : key === "properties"
            ? Object.entries(member as Readonly<Record<string, Schema>>).flatMap(([name, schema]) => [
                [`${path}.${name}`, name, schema] as const,
                ...propertiesIn(schema, `${path}.${name}`)
              ])
            : propertiesIn(member, /^(?:anyOf|allOf|items|schema|content)$/.test(key) ? path : `${path}/${key}`)
      )

describe("the fields of the OpenAPI document", () => {
  it("have descriptions: at least three words, and more than the name", () => {
    const fields = propertiesIn({ paths: document.paths, ...document.components.schemas }, "")
    assert.isAbove(fields.length, 2_000)
    const faults = fields.flatMap(([path, name, schema]) => {
      const found = fault(name, descriptionOf(schema))
      return found === undefined ? [] : [`${path} ${found}`]
    })
    assert.deepEqual(faults, [])
  })

  it("have descriptions as parameters, too", () => {
    const faults = described.flatMap(({ operationId, parameters = [] }) =>
      parameters.flatMap(({ name, description }) => {
        const found = fault(name, description)
        return found === undefined ? [] : [`${operationId} ${name} ${found}`]
      })
    )
    assert.deepEqual(faults, [])
  })

  it("have components with descriptions", () => {
    const faults = Object.entries(document.components.schemas).flatMap(([name, { description }]) => {
      // Zod names any JSON value itself, because it refers to itself.
      const found = name.startsWith("__") ? undefined : fault(name, description)
      return found === undefined ? [] : [`${name} ${found}`]
    })
    assert.deepEqual(faults, [])
  })

  it("stay in components: a description beside a reference copies nothing", () => {
    assert.isBelow(JSON.stringify(document).length, 800_000)
  })
})

describe("the examples of the OpenAPI document", () => {
  const responseOf = (response: Response): Response =>
    response.$ref === undefined ? response : (document.components.responses[nameOf(response.$ref)] ?? {})

  it("show an error of every status of every operation", () => {
    const without = described.flatMap(({ operationId, responses }) =>
      Object.entries(responses).flatMap(([status, response]) => {
        if (Number(status) < 400) return []
        const contents = Object.values(responseOf(response).content ?? {})
        const shown = contents.length > 0 && contents.every(({ examples = {} }) => Object.keys(examples).length > 0)
        return shown ? [] : [`${operationId} ${status}`]
      })
    )
    assert.deepEqual(without, [])
  })

  /** Every text of the examples with the name of its field. */
  const texts: (readonly [name: string, text: string])[] = []
  const collect = (name: string, value: unknown): void => {
    if (typeof value === "string") texts.push([name, value])
    else if (Array.isArray(value)) for (const item of value) collect(name, item)
    else if (typeof value === "object" && value !== null)
      for (const [member, held] of Object.entries(value)) collect(member, held)
  }
  for (const { parameters = [], requestBody, responses } of described) {
    for (const { name, example } of parameters) collect(name, example)
    for (const { example } of Object.values(requestBody?.content ?? {})) collect("", example)
    for (const response of Object.values(responses))
      for (const { example, examples = {} } of Object.values(responseOf(response).content ?? {})) {
        collect("", example)
        for (const { value } of Object.values(examples)) collect("", value)
      }
  }
  const textsOf = (...names: readonly string[]): readonly string[] => [
    ...new Set(texts.flatMap(([name, text]) => (names.includes(name) ? [text] : [])))
  ]

  it("have ids like real ones", () => {
    const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[45][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
    const uuids = textsOf("workspace_id", "organization_id", "guardrail_id", "request_id", "preset_id", "channel_id")
    for (const id of uuids) assert.match(id, uuid)
    for (const [, text] of texts)
      if (/^[0-9a-f-]{36}$/.test(text)) {
        assert.match(text, uuid)
        // No number that somebody counted on the keyboard: 0000, 1a2b3c4d.
        assert.notMatch(text, /(.)\1{3}|a1b2c3|1a2b3c|9e8d7c|8f7e6d/, text)
      }
    for (const hash of textsOf("api_key_hash", "key_hash", "key_hashes", "hash")) assert.match(hash, /^[0-9a-f]{64}$/)
    const generations = textsOf("generation_id", "event_id")
    assert.isNotEmpty(generations)
    for (const id of generations) assert.match(id, /^gen-\d{10}-[0-9A-Za-z]{20}$/)
  })

  it("tell of one account and one workspace, and of keys that fit their hashes", () => {
    assert.lengthOf(textsOf("organization_id"), 1)
    assert.lengthOf(textsOf("workspace_id"), 1)
    const keys = textsOf("key").filter((key) => /^gwm?-v1-/.test(key))
    assert.lengthOf(keys, 3)
    const hashes = keys.map((key) => createHash("sha256").update(key).digest("hex"))
    assert.includeMembers(hashes, [...textsOf("api_key_hash", "key_hash", "key_hashes")])
    const labels = keys.map((key) => key.replace(/^(gwm?-v1-.{3}).*(.{3})$/, "$1...$2"))
    assert.sameMembers(
      labels,
      textsOf("label", "key_label").filter((label) => label.startsWith("gw"))
    )
  })
})

describe("the version of the OpenAPI document", () => {
  it("is that of the package", async () => {
    const file = new URL("../../contract/package.json", import.meta.url)
    const { version } = JSON.parse(await readFile(file, "utf8")) as { readonly version: string }
    assert.strictEqual(contractVersion, version)
    assert.strictEqual(document.info.version, version)
  })
})
