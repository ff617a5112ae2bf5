/** That a key which is restricted to kinds of things makes no API key that may more. Rule: access#restricted-keys. */
import { operations, type OperationShape, resourceOf, resources } from "@gatewarden/contract/internal"
import { assert } from "@effect/vitest"
import { type Case, reasonIs } from "../../http/Case.ts"
import type { Answer, World } from "../../World.ts"

const made = (world: World, names: readonly string[]): Promise<Answer> =>
  world.call("createManagementKey", { body: { name: "made", restrictions: { resources: names } } })

/** What an API key acts on. */
const acting = ["analytics", "files", "presets", "workspaces"]

const minting = operations.filter((operation: OperationShape) => operation.mintsKeys === true)

const calling = ({ id, example }: OperationShape & { readonly id: (typeof minting)[number]["id"] }, world: World) => ({
  id,
  call: {
    ...(example.params === undefined ? {} : { params: { ...example.params, hash: world.normalKeyHash } }),
    body: example.body
  }
})

export const mintCases: readonly Case[] = [
  {
    name: "a key for keys alone makes no API key, which could read files and change presets",
    status: 200,
    run: (world) => made(world, ["keys", "authorization"]),
    check: async ({ json }, world) => {
      for (const operation of minting) {
        const { id, call } = calling(operation, world)
        const answer = await world.call(id, { ...call, key: json.key })
        assert.strictEqual(answer.status, 403, id)
        reasonIs("restricted_key")(answer)
        assert.strictEqual(answer.json.error.metadata.issues[0].code, "resources")
      }
      // What makes no key is allowed as before.
      assert.strictEqual((await world.call("listKeys", { key: json.key })).status, 200)
      const params = { hash: world.normalKeyHash }
      assert.strictEqual((await world.call("updateKey", { key: json.key, params, body: { limit: 1 } })).status, 200)
    }
  },
  {
    name: "a key for all that an API key acts on makes one, which may no more",
    status: 200,
    run: (world) => made(world, ["keys", ...acting]),
    check: async ({ json }, world) => {
      const { json: child, status } = await world.call("createKey", { key: json.key, body: { name: "child" } })
      assert.strictEqual(status, 200)
      for (const operation of operations as readonly (OperationShape & { id: (typeof operations)[number]["id"] })[]) {
        if (operation.access !== "anyKey" || operation.workspaceOf === "none") continue
        assert.include(acting, resourceOf(operation), operation.id)
      }
      const management = await world.call("createGuardrail", { key: child.key, body: { name: "g" } })
      assert.strictEqual(management.status, 403)
    }
  },
  ...acting.map((missing): Case => ({
    name: `a key for all but ${missing} makes no API key`,
    status: 200,
    run: (world) =>
      made(
        world,
        resources.filter((resource) => resource !== missing)
      ),
    check: async ({ json }, world) => {
      const answer = await world.call("createKey", { key: json.key, body: { name: "child" } })
      assert.strictEqual(answer.status, 403)
      assert.include(answer.json.error.metadata.issues[0].message, missing)
    }
  }))
]
