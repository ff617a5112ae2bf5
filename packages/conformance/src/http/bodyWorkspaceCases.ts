/**
 * What every creation promises of the `workspace_id` in its body. Rule: workspaces#naming-a-workspace,
 * workspaces#default-workspace.
 */
import type { OperationId } from "@gatewarden/contract"
import type { World } from "../World.ts"
import { type Case, reasonIs, refused } from "./Case.ts"
import { withoutDefault } from "./withoutDefault.ts"

/** `body` is one that is accepted, and names no workspace. */
export const bodyWorkspaceCases = (operation: OperationId, body: object): readonly Case[] => {
  const within = (workspace_id: string) => ({ body: { ...body, workspace_id } })
  const foreign = (name: string, idOf: (world: World) => Promise<string>): Case => ({
    name,
    status: 400,
    run: async (world) => world.call(operation, within(await idOf(world))),
    check: reasonIs("unknown_workspace")
  })
  return [
    refused(operation, "a malformed workspace", within("default"), { path: "workspace_id" }),
    refused(operation, "a workspace nobody has", within("00000000-0000-4000-8000-000000000000"), {
      path: "workspace_id",
      reason: "unknown_workspace"
    }),
    foreign("a workspace of another account", async (world) => (await world.other()).workspace_id),
    foreign("a deleted workspace", async (world) => {
      const made = await world.call("createWorkspace", { body: { name: "Gone", slug: "gone" } })
      await world.call("deleteWorkspace", { params: { id: "gone" } })
      return made.json.data.id
    }),
    {
      name: "no workspace named and the default one deleted",
      status: 400,
      run: async (world) => {
        await withoutDefault(world)
        return world.call(operation, { body })
      },
      check: reasonIs("default_workspace_deleted")
    }
  ]
}
