/** What a request without a body is answered. Rule: requests#absent-bodies. */
import { type OperationId, operations, type OperationShape } from "@gatewarden/contract"
import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import type { Case } from "./Case.ts"

const optional = (operations as readonly OperationShape[]).filter(
  ({ body }) => body?.kind === "json" && body.optional === true
)

/** An empty body with its media type, as `curl -d ""` sends it, and no body at all. */
const sent: readonly (string | undefined)[] = ["", undefined]

const rotated = (world: World, body: string | undefined) =>
  world.call("rotateKey", {
    params: { hash: world.normalKeyHash },
    body,
    headers: { "content-type": "application/json" }
  })

export const absentBodies: readonly Case[] = [
  ...sent.map((body): Case => ({
    name: `JSON: ${body === undefined ? "no body" : "an empty body"} where no field is required`,
    status: 200,
    run: (world) => rotated(world, body)
  })),
  {
    name: "JSON: no body is answered as {} by each operation without required fields",
    status: 404,
    run: async (world) => {
      for (const { id, example } of optional) {
        const call = { params: example.params ?? {} }
        const answers = []
        for (const body of ["{}", ...sent])
          answers.push((await world.call(id as OperationId, { ...call, body })).status)
        assert.strictEqual(new Set(answers).size, 1, `${id}: ${answers.join(", ")}`)
      }
      return world.send("GET", "/nothing")
    }
  },
  {
    name: "JSON: no body where a field is required",
    status: 400,
    run: (world) => world.send("POST", "/guardrails"),
    check: ({ json }) => assert.strictEqual(json.error.metadata.reason, "invalid_json")
  },
  {
    name: "JSON: no body of a PUT",
    status: 400,
    run: (world) => world.call("putKeyRateLimits", { params: { hash: world.normalKeyHash } }),
    check: ({ json }) => assert.strictEqual(json.error.metadata.reason, "invalid_json")
  }
]
