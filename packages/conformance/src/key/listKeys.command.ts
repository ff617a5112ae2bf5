import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const listKeys = command("listKeys", { query: { workspace_id: some("workspace") } })
