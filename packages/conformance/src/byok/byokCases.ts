/** What reading and deleting one credential promise of the id in the path. */
import type { OperationId } from "@gatewarden/contract"
import { assert } from "@effect/vitest"
import type { World } from "../World.ts"
import { type Case, managementOnly } from "../http/Case.ts"

export const nobody = "00000000-0000-4000-8000-000000000000"

/** A credential of the world, as it is printed; `fields` in place of the defaults. */
export const newCredential = async (world: World, fields: Record<string, unknown> = {}) => {
  const body = { key: "sk-0123456789abcdefghijklmnopqrstuvwxyz", provider: "openai", ...fields }
  return (await world.call("createByokCredential", { body })).json.data
}

export const byokCases = (operation: OperationId): readonly Case[] => {
  const call = (world: World, id: string) =>
    world.call(operation, { params: { id }, headers: { "x-request-id": "same" } })
  return [
    ...managementOnly(operation, () => ({ params: { id: nobody } })),
    { name: "a malformed id", status: 404, run: (world) => call(world, "nope") },
    { name: "an unknown id", status: 404, run: (world) => call(world, nobody) },
    {
      name: "a credential of another account, alike but for the request id",
      status: 404,
      run: async (world) => {
        const other = await world.other()
        const foreign = await newCredential(other)
        const hidden = await call(world, foreign.id)
        assert.strictEqual(hidden.text, (await call(world, nobody)).text)
        assert.deepEqual((await other.call("listByokCredentials")).json.data, [foreign])
        return hidden
      }
    },
    {
      name: "a credential that was deleted",
      status: 404,
      run: async (world) => {
        const { id } = await newCredential(world)
        assert.strictEqual((await world.call("deleteByokCredential", { params: { id } })).status, 200)
        return call(world, id)
      }
    },
    {
      name: "a credential of a deleted workspace",
      status: 404,
      run: async (world) => {
        const workspace = await world.call("createWorkspace", { body: { name: "Gone", slug: "gone" } })
        const { id } = await newCredential(world, { workspace_id: workspace.json.data.id })
        await world.call("deleteWorkspace", { params: { id: "gone" } })
        return call(world, id)
      }
    }
  ]
}
