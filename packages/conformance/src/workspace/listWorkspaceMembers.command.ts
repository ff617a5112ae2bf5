import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const listWorkspaceMembers = command("listWorkspaceMembers", {
  params: { id: some("workspace", "slug") },
  reads: { kind: "workspace", params: { id: "id" } }
})
