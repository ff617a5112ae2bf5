/** What every operation below one workspace promises of the id or slug in its path. */
import type { OperationId } from "@gatewarden/contract"
import type { Call } from "../World.ts"
import { type Case, managementOnly, storeGone } from "../http/Case.ts"

export const workspaceCases = (
  operation: OperationId,
  { params, ...call }: Pick<Call, "params" | "body"> = {}
): readonly Case[] => {
  const at = (id: string) => ({ ...call, params: { ...params, id } })
  return [
    ...managementOnly(operation, () => at("default")),
    { name: "an unknown workspace", status: 404, run: (world) => world.call(operation, at("nowhere")) },
    {
      name: "a workspace of another account",
      status: 404,
      run: async (world) => world.call(operation, at((await world.other()).workspace_id))
    },
    {
      name: "a deleted workspace",
      status: 404,
      run: async (world) => {
        await world.call("createWorkspace", { body: { name: "Gone", slug: "gone" } })
        await world.call("deleteWorkspace", { params: { id: "gone" } })
        return world.call(operation, at("gone"))
      }
    },
    storeGone("Workspaces", 500, (world) => world.call(operation, at("default")))
  ]
}
