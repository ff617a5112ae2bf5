import { command } from "../Command.ts"
import { some } from "../Thing.ts"

export const listWorkspaceMembers = command("listWorkspaceMembers", {
  params: { id: some("workspace", "slug") },
  reads: { kind: "workspace", params: { id: "id" } }
})
