import { command } from "../model/Command.ts"
import { some } from "../model/Thing.ts"

export const listWorkspaceBudgets = command("listWorkspaceBudgets", {
  params: { id: some("workspace", "slug") },
  reads: { kind: "workspace", params: { id: "id" } }
})
