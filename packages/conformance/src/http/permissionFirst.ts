/** A caller that may not call an operation learns so before its input is judged. Rule: requests#order-of-checks. */
import { type OperationId, operations, type OperationShape } from "@gatewarden/contract"
import { assert } from "@effect/vitest"
import type { Answer, World } from "../World.ts"
import type { Case } from "./Case.ts"

const withInput = (operations as readonly OperationShape[]).filter(
  ({ access, body, query }) => access !== "anyone" && (body !== undefined || query !== undefined)
)

/** Callers, and the operations with input that they may not call. */
const refusedTo: readonly {
  readonly caller: string
  readonly key: (world: World) => Promise<string> | string
  readonly mayNot: (operation: OperationShape) => boolean
}[] = [
  { caller: "an API key", key: ({ normalKey }) => normalKey, mayNot: ({ access }) => access === "managementKey" },
  { caller: "a gateway key", key: ({ gatewayKey }) => gatewayKey, mayNot: ({ gatewayKey }) => gatewayKey !== true },
  {
    caller: "a management key that may only read",
    key: async (world) =>
      (await world.call("createManagementKey", { body: { name: "k", restrictions: { access: "read" } } })).json.key,
    mayNot: ({ changes, unrestrictedOnly }) => changes !== "nothing" || unrestrictedOnly === true
  },
  {
    caller: "a management key of an account that does not operate the installation",
    key: ({ managementKey }) => managementKey,
    mayNot: ({ sharedWithout }) => sharedWithout !== undefined
  }
]

export const permissionFirst: readonly Case[] = refusedTo.map(({ caller, key, mayNot }) => ({
  name: `${caller} with invalid input, at every operation that it may not call`,
  status: 403,
  run: async (world) => {
    const sender = await key(world)
    const refusing = withInput.filter(mayNot)
    assert.isNotEmpty(refusing)
    const answers = new Map<string, Answer>()
    for (const { id, body, example } of refusing) {
      const call = {
        key: sender,
        params: example.params ?? {},
        headers: { "content-type": "application/json" },
        ...(body === undefined ? { query: { limit: "x", offset: "x" } } : { body: "[" })
      }
      answers.set(id, await world.call(id as OperationId, call))
    }
    const others = [...answers].filter(([, { status }]) => status !== 403)
    assert.deepEqual(
      others.map(([id, { status }]) => `${id} ${status}`),
      []
    )
    return [...answers.values()][0] ?? assert.fail("no operation")
  }
}))
