/** For every operation of the table: path, query and body as its document describes them. */
import { openApiDocument, type OperationId, operations, type OperationShape } from "@gatewarden/contract"
import * as fc from "fast-check"
import { fromJsonSchema, type JsonSchema, members } from "./fromJsonSchema.ts"

export type Arbitraries = Readonly<Record<string, fc.Arbitrary<unknown>>>

export interface Inputs {
  readonly operation: OperationShape
  readonly params: Arbitraries
  readonly query: Arbitraries
  /** Members of a JSON body, `undefined` when the operation takes none. */
  readonly body: Arbitraries | undefined
  readonly required: readonly string[]
  /** A body of several forms, in place of members. */
  readonly whole: fc.Arbitrary<unknown> | undefined
}

interface Parameter {
  readonly name: string
  readonly in: "path" | "query" | "header"
  readonly schema: JsonSchema
}

interface Described {
  readonly operationId: string
  readonly parameters: readonly Parameter[]
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: JsonSchema }>> }
}

const document = openApiDocument()
const components = document.components.schemas as Readonly<Record<string, JsonSchema>>

const named = fc.letrec<Record<string, unknown>>((tie) =>
  Object.fromEntries(Object.entries(components).map(([name, schema]) => [name, fromJsonSchema(schema, tie)]))
)

const tie = (name: string): fc.Arbitrary<unknown> => {
  const arbitrary = named[name]
  if (arbitrary === undefined) throw new Error(`The document refers to ${name}, which it does not have`)
  return arbitrary
}

/** The schema of an object itself, where a body only refers to it. */
const resolved = (schema: JsonSchema): JsonSchema => {
  const { $ref } = schema
  return typeof $ref === "string" ? resolved(components[$ref.split("/").at(-1) ?? ""] ?? {}) : schema
}

const parametersIn = (place: Parameter["in"], { parameters }: Described): Arbitraries =>
  Object.fromEntries(
    parameters
      .filter((parameter) => parameter.in === place)
      .map(({ name, schema }) => [name, fromJsonSchema(schema, tie).map(String)])
  )

const describedById = new Map(
  Object.values(document.paths)
    .flatMap((path) => Object.values(path) as Described[])
    .map((described) => [described.operationId, described])
)

const inputsOf = (operation: OperationShape): Inputs => {
  const described = describedById.get(operation.id)
  if (described === undefined) throw new Error(`The document does not describe ${operation.id}`)
  const json = described.requestBody?.content["application/json"]?.schema
  const body = json && resolved(json)
  const properties = body?.["properties"] as Readonly<Record<string, JsonSchema>> | undefined
  return {
    operation,
    params: parametersIn("path", described),
    query: parametersIn("query", described),
    body:
      body &&
      Object.fromEntries(Object.entries(properties ?? {}).map(([name, schema]) => [name, fromJsonSchema(schema, tie)])),
    required: (body?.["required"] ?? []) as readonly string[],
    whole: body !== undefined && properties === undefined ? fromJsonSchema(body, tie) : undefined
  }
}

const all = new Map(operations.map((operation: OperationShape) => [operation.id, inputsOf(operation)]))

export const inputs = (id: OperationId): Inputs => {
  const found = all.get(id)
  if (found === undefined) throw new Error(`No operation ${id}`)
  return found
}

/** A body with every required member and some of the others. */
export const bodies = ({ body, required, whole }: Inputs): fc.Arbitrary<unknown> =>
  whole ?? members(body ?? {}, required)
