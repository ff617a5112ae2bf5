/**
 * The table of operations as an OpenAPI 3.1 document. Pure: the same table gives the same document.
 *
 * Named schemas (`.meta({ id })`) become components; what zod cannot derive is documented where it is declared (`documentedAs`).
 */
import * as z from "zod"
import { errorMessages, type ErrorStatus } from "./error.ts"
import { ErrorEnvelope } from "./error.ts"
import { documentOrder, documentTags } from "./documentOrder.ts"
import { errorExamples, oauthErrorExamples, scimErrorExamples } from "./errorExamples.ts"
import type { Body, OperationShape } from "./operation.ts"
import { operations } from "./operations.ts"
import { type RemovedOperation, removedOperations } from "./removedOperations.ts"
import { ScimError, scimMediaType } from "./scim/scim.ts"
import { documentedAs } from "./primitives.ts"
import { OAuthError } from "./tokenExchange.ts"

type JsonSchema = { [key: string]: unknown }
type Components = Record<string, JsonSchema>

/** The version of the package. A test compares it with `package.json`, which no bundle can read. */
export const contractVersion = "0.1.0"

const description = `Management and data operations of a model gateway.

Start with \`GET /key\`: authorize with the management key that the first start has written to \`management-key\`, and send it.

Every operation but the public ones takes \`Authorization: Bearer <API key>\`. Timestamps are ISO 8601, in UTC in answers and with any offset in requests; identifiers called
uuid are UUID strings, single objects are wrapped in \`data\`. Every answer carries \`X-Request-Id\`. Beside the statuses listed
with an operation, any request may meet 404 (unknown path), 405, 413, 415 and 503 (shutting down); one with a body, 408 where it arrives too
slowly, and 429 or 503 while too much else is under way.
To \`@openrouter/sdk\` creations of guardrails, BYOK credentials, keys, management keys, workspaces, destinations and group mappings answer 201.`

export const openApiDocument = (table: readonly OperationShape[] = operations) => {
  const components: Components = {}
  const paths: Record<string, Record<string, unknown>> = {}
  const ordered = documentOrder(table)
  for (const operation of ordered) {
    const path = bracedPath(operation.path)
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describe(operation, components) }
  }
  for (const operation of ordered) {
    if (operation.alias === undefined) continue
    const path = bracedPath(operation.alias)
    paths[path] = { ...paths[path], [operation.method.toLowerCase()]: describeAlias(operation, components) }
  }
  for (const removed of removedOperations)
    paths[removed.path] = { ...paths[removed.path], [removed.method.toLowerCase()]: describeRemoved(removed) }
  return {
    openapi: "3.1.0",
    info: {
      title: "Gatewarden",
      version: contractVersion,
      description,
      license: { name: "Apache 2.0", identifier: "Apache-2.0" }
    },
    servers: [{ url: "/api/v1" }],
    security: [{ apiKey: [] }],
    tags: documentTags(ordered),
    paths,
    components: {
      securitySchemes: {
        apiKey: { type: "http", scheme: "bearer", description: "A management key, a gateway key or an API key." }
      },
      responses: Object.assign({}, ...Object.values(errorForms).map((form) => errorResponses(form, components))),
      schemas: sorted(components)
    }
  }
}

interface ErrorForm {
  /** What the names of the responses begin with. */
  readonly prefix: string
  readonly mediaType: string
  readonly schema: z.ZodType
  readonly examples: Partial<Record<ErrorStatus, Readonly<Record<string, unknown>>>>
}

/** The bodies that errors can have. */
const errorForms: Readonly<Record<"envelope" | "scim" | "oauth", ErrorForm>> = {
  envelope: { prefix: "Error", mediaType: "application/json", schema: ErrorEnvelope, examples: errorExamples },
  oauth: { prefix: "OAuthError", mediaType: "application/json", schema: OAuthError, examples: oauthErrorExamples },
  scim: { prefix: "ScimError", mediaType: scimMediaType, schema: ScimError, examples: scimErrorExamples }
}

/** A response for each status that has an example. */
const errorResponses = ({ prefix, mediaType, schema, examples }: ErrorForm, components: Components) =>
  Object.fromEntries(
    Object.entries(examples).map(([status, shown]) => [
      prefix + status,
      {
        description: errorMessages[Number(status) as ErrorStatus],
        content: { [mediaType]: { schema: schemaOf(schema, "output", components), examples: examplesOf(shown) } }
      }
    ])
  )

/** Each under a name that is made of its summary, as components have them. */
const examplesOf = (examples: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(examples).map(([summary, value]) => [
      summary.replace(/[^A-Za-z0-9]+/g, "_").replace(/_$/, ""),
      { summary, value }
    ])
  )

const sorted = (components: Components): Components =>
  Object.fromEntries(Object.entries(components).sort(([a], [b]) => (a < b ? -1 : 1)))

const describe = (operation: OperationShape, components: Components) => ({
  operationId: operation.id,
  tags: [operation.tag],
  summary: operation.summary,
  ...(operation.description === undefined ? {} : { description: operation.description }),
  ...(operation.access === "anyone" ? { security: [] } : {}),
  ...(operation.access === "managementKey"
    ? { "x-gatewarden-access": operation.gatewayKey ? "management key or gateway key" : "management key" }
    : {}),
  parameters: [
    ...parametersOf(operation.params, "path", operation.example.params, components),
    ...parametersOf(operation.query, "query", operation.example.query, components),
    ...(operation.method === "POST" && operation.access !== "anyone" ? [idempotencyKey] : [])
  ],
  ...(operation.body === undefined ? {} : { requestBody: bodyOf(operation.body, operation.example.body, components) }),
  responses: {
    [String(operation.success.status ?? 200)]: answerOf(operation, components),
    ...(operation.success.creates
      ? { "201": { ...answerOf(operation, components), description: "Created; to the public client" } }
      : {}),
    ...(operation.success.etag ? { "304": { description: "Not modified" } } : {}),
    ...Object.fromEntries(
      operation.errors.map((status: ErrorStatus) => [
        String(status),
        { $ref: `#/components/responses/${errorForms[operation.errorForm ?? "envelope"].prefix}${status}` }
      ])
    )
  }
})

const bracedPath = (path: string): string => path.replace(/:([a-z_]+)/g, "{$1}")

/** The same under an id of its own, because ids are unique in a document. */
const describeAlias = (operation: OperationShape, components: Components) => ({
  ...describe(operation, components),
  operationId: `${operation.id}ByAlias`,
  deprecated: true,
  description: `An older path of \`${operation.method} ${operation.path}\`.`
})

const describeRemoved = ({ id, tag, summary }: RemovedOperation) => ({
  operationId: id,
  tags: [tag],
  summary,
  deprecated: true,
  security: [],
  responses: { "410": { $ref: "#/components/responses/Error410" } }
})

const idempotencyKey = {
  name: "Idempotency-Key",
  in: "header",
  required: false,
  description:
    "Key of your choice for this request. A repetition with the same key within 24 hours returns the response of the first.",
  schema: { type: "string", minLength: 1, maxLength: 255 }
}

const answerOf = (operation: OperationShape, components: Components) => ({
  description: "Success",
  ...(operation.success.status === 204 ? {} : { content: contentOf(operation, components) })
})

const contentOf = (operation: OperationShape, components: Components) =>
  operation.success.bytes
    ? Object.fromEntries(
        (operation.success.byteTypes ?? ["application/octet-stream"]).map((type) => [
          type,
          { schema: { type: "string", contentMediaType: type } }
        ])
      )
    : {
        [operation.errorForm === "scim" ? scimMediaType : "application/json"]: {
          schema: schemaOf(operation.success.schema, "output", components),
          example: operation.example.response
        },
        ...(operation.success.textType === undefined
          ? {}
          : { [operation.success.textType]: { schema: { type: "string" } } })
      }

const formType = "application/x-www-form-urlencoded"

const bodyOf = (body: Body, example: unknown, components: Components) => {
  if (body.kind === "file") {
    const schema = {
      type: "object",
      required: ["file"],
      properties: {
        file: {
          type: "string",
          contentMediaType: "application/octet-stream",
          description: `Content of the file, at most ${body.maxBytes} bytes.`
        }
      }
    }
    return { required: true, content: { "multipart/form-data": { schema } } }
  }
  const value = {
    "application/json": {
      schema:
        body.kind === "json" && body.flat !== undefined
          ? { anyOf: [body.flat.schema, body.schema].map((schema) => schemaOf(schema, "input", components)) }
          : schemaOf(body.schema, "input", components),
      ...(example === undefined ? {} : { example })
    }
  }
  return {
    required: !(body.kind === "json" && body.optional === true),
    content:
      body.kind === "json"
        ? body.form === true
          ? { [formType]: value["application/json"], ...value }
          : { ...value, ...(body.mediaType === undefined ? {} : { [body.mediaType]: value["application/json"] }) }
        : { ...value, "application/x-ndjson": { schema: schemaOf(body.line, "input", components) } }
  }
}

const parametersOf = (
  schema: z.ZodObject | undefined,
  place: "path" | "query",
  example: Readonly<Record<string, string>> | undefined,
  components: Components
) =>
  Object.entries(schema?.shape ?? {}).map(([name, field]) => {
    const { description, ...rest } = schemaOf(field as z.ZodType, "input", components)
    return {
      name,
      in: place,
      required: place === "path" || !(field as z.ZodType).safeParse(undefined).success,
      ...(description === undefined ? {} : { description }),
      schema: rest,
      ...(example?.[name] === undefined ? {} : { example: example[name] })
    }
  })

/** JSON Schema of a zod schema; schemas with an id are moved to the components and referred to. */
const schemaOf = (schema: z.ZodType, io: "input" | "output", components: Components): JsonSchema => {
  const {
    $schema: _,
    $defs,
    ...root
  } = z.toJSONSchema(schema, {
    io,
    reused: "inline",
    unrepresentable: "any",
    override: ({ jsonSchema }) => {
      const target: JsonSchema = jsonSchema
      const documented = target[documentedAs]
      if (documented !== undefined) {
        delete target["pattern"]
        delete target[documentedAs]
        Object.assign(target, documented)
      }
      // A field that is added later must not break a client that validates strictly.
      if (target["additionalProperties"] === false) delete target["additionalProperties"]
      if (target["maximum"] === Number.MAX_SAFE_INTEGER) delete target["maximum"]
      if (target["minimum"] === Number.MIN_SAFE_INTEGER) delete target["minimum"]
    }
  }) as JsonSchema & { $defs?: Components }
  for (const [name, definition] of Object.entries($defs ?? {})) components[name] = relocated(definition) as JsonSchema
  return named(relocated(root) as JsonSchema, components)
}

/** A schema that is itself named becomes a component, too. */
const named = (schema: JsonSchema, components: Components): JsonSchema => {
  const id = schema["id"]
  if (typeof id !== "string") return schema
  components[id] = schema
  return { $ref: `#/components/schemas/${id}` }
}

/** References point to the document's components, and a value that may be null is described where its field is. */
const relocated = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(relocated)
  if (typeof value !== "object" || value === null) return value
  return describedOutside(
    Object.fromEntries(
      Object.entries(value).map(([key, member]) =>
        key === "$ref" && typeof member === "string"
          ? [key, member.replace("#/$defs/", "#/components/schemas/")]
          : [key, relocated(member)]
      )
    )
  )
}

/** Moves the description of `anyOf: [value, null]` from the value to the whole. */
const describedOutside = (schema: JsonSchema): JsonSchema => {
  const either = schema["anyOf"]
  if (schema["description"] !== undefined || !Array.isArray(either) || either.length !== 2) return schema
  const [{ description, ...value }, { type }] = either as [JsonSchema, JsonSchema]
  if (type !== "null" || description === undefined) return schema
  return { ...schema, anyOf: [value, { type }], description }
}
