import { assert } from "@effect/vitest"
import { operations, type OperationShape, removedOperations } from "@gatewarden/contract/internal"
import type { CasesOf } from "../http/Case.ts"

export const getOpenApi: CasesOf = {
  operation: "getOpenApi",
  cases: [
    {
      name: "without credentials, with every operation",
      status: 200,
      run: (world) => world.call("getOpenApi"),
      check: ({ json }) => {
        const ids = Object.values(json.paths as Record<string, Record<string, { operationId: string }>>).flatMap(
          (path) => Object.values(path).map((operation) => operation.operationId)
        )
        assert.sameMembers(ids, [
          ...operations.flatMap((operation: OperationShape) =>
            operation.alias === undefined ? [operation.id] : [operation.id, `${operation.id}ByAlias`]
          ),
          ...removedOperations.map(({ id }) => id)
        ])
      }
    },
    {
      name: "printed once, for whoever asks",
      status: 200,
      run: async (world) => {
        const first = await world.call("getOpenApi")
        const second = await world.call("getOpenApi")
        assert.strictEqual(second.text, first.text)
        assert.strictEqual(second.headers.get("etag"), first.headers.get("etag"))
        return second
      }
    },
    {
      name: "not again when it is known",
      status: 304,
      run: async (world) => {
        const first = await world.call("getOpenApi")
        return world.call("getOpenApi", { headers: { "if-none-match": `"other", ${first.headers.get("etag")}` } })
      },
      check: (answer) => assert.strictEqual(answer.text, "")
    }
  ]
}
