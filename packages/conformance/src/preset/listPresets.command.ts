import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const listPresets = command("listPresets", {
  query: { workspace_id: some("workspace") }
})
