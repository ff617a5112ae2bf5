import { command } from "../model/Command.ts"
import { some } from "../model/Thing.ts"

export const listWorkspaceMembers = command("listWorkspaceMembers", {
  params: { id: some("workspace", "slug") },
  reads: { kind: "workspace", params: { id: "id" } }
})
