import { command } from "../Command.ts"
import { some } from "../Thing.ts"

export const listKeys = command("listKeys", { query: { workspace_id: some("workspace") } })
