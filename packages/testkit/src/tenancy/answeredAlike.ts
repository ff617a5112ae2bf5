/** What the cases of tenancy have in common: prepared requests, names that nothing has, and answers that are alike. */
import type { OperationId, OperationShape } from "@gatewarden/contract"
import { assert } from "@effect/vitest"
import type { Answer, Call, World } from "@gatewarden/conformance/internal/World"
import { preparations } from "../http/preparations.ts"
import { nobodysName } from "./foreignNames.ts"

export interface TenancyCase {
  readonly name: string
  readonly holds: (world: World) => Promise<void>
}

/** A value of each parameter of a path that names nothing. */
const nothing: Readonly<Record<string, string>> = {
  id: nobodysName.workspace,
  hash: nobodysName.key,
  file_id: "file-that-never-was",
  slug: "never-was",
  version: "1",
  interval: "monthly",
  author: "nobody",
  kind: "user",
  user: "nobody-of-this-name"
}

/** Ids that each answer has of its own: UUIDs, and the tokens that admissions are. */
const madeIds = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|(?<="id":")[\w-]{60,}/g

/** The answer without what is its own: ids that were made for it, and the names that the request had. */
const withoutNames = ({ status, json, text }: Answer, names: readonly string[]) => {
  const body = json === undefined ? text : JSON.stringify(json)
  const withoutIds = body.replaceAll(madeIds, "…")
  // A short name, such as a version, is part of everything.
  const longNames = names.filter((name) => name.length > 4)
  return { status, body: longNames.reduce((all, name) => all.replaceAll(name, "…"), withoutIds) }
}

/** That two requests are answered alike, with what they named taken out. */
export const answeredAlike = (
  one: { readonly answer: Answer; readonly names: readonly string[] },
  other: { readonly answer: Answer; readonly names: readonly string[] },
  status?: number
): void => {
  assert.deepEqual(withoutNames(one.answer, one.names), withoutNames(other.answer, other.names))
  if (status !== undefined) assert.strictEqual(one.answer.status, status, one.answer.text)
}

export const namesOf = (call: Call): readonly string[] => Object.values(call.params ?? {})

export const nothingFor = (params: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(params).map(([name]) => {
      const value = nothing[name]
      if (value === undefined) throw new Error(`tenancyMatrix: what is no ${name}?`)
      return [name, value]
    })
  )

/** What an operation of the table is called with so that it succeeds in the world. */
export const prepared = async (
  operation: OperationShape & { readonly id: OperationId },
  world: World
): Promise<Call> => {
  const { params, query, body } = operation.example
  return {
    ...(params === undefined ? {} : { params }),
    ...(query === undefined ? {} : { query }),
    ...(body === undefined ? {} : { body }),
    ...(await preparations[operation.id]?.(world))
  }
}
