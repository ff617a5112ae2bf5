import { command } from "../model/Command.ts"
import { some } from "../model/Thing.ts"

export const listKeys = command("listKeys", { query: { workspace_id: some("workspace") } })
