/** Gatewarden's own operations refuse query parameters that they do not know. Rule: requests#unknown-fields. */
import { isOwnOperation, type OperationId, operations, type OperationShape } from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import { metadataOf } from "../World.ts"
import type { Case, CasesOf } from "./Case.ts"

const byId = new Map(operations.map((operation: OperationShape) => [operation.id, operation]))

const misspelt = (operation: OperationId, { example, query, sharedWithout }: OperationShape): Case => {
  const [known] = Object.keys(query?.shape ?? {})
  const hint = known === undefined ? "this operation takes none" : `did you mean ${known}?`
  const name = `${known ?? "limit"}x`
  return {
    name: `an unknown query parameter: ${name}`,
    status: 400,
    run: (world) =>
      world.call(operation, {
        ...(sharedWithout === undefined ? {} : { key: world.operatorKey }),
        params: example.params ?? {},
        query: { ...example.query, [name]: "1" },
        ...(example.body === undefined ? {} : { body: example.body })
      }),
    check: (answer) =>
      assert.deepEqual(metadataOf(answer).issues, [
        { path: `query.${name}`, code: "unknown_parameter", message: `Unknown parameter; ${hint}` }
      ])
  }
}

/** The same cases, and one more if the operation is Gatewarden's own. */
export const withUnknownParameter = ({ operation, cases }: CasesOf): CasesOf => {
  const declared = byId.get(operation)
  return declared !== undefined && isOwnOperation(declared)
    ? { operation, cases: [...cases, misspelt(operation, declared)] }
    : { operation, cases }
}
