import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const listWorkspaceBudgets = command("listWorkspaceBudgets", {
  params: { id: some("workspace", "slug") },
  reads: { kind: "workspace", params: { id: "id" } }
})
