import { command } from "../Command.ts"
import { some } from "../Thing.ts"

export const listDestinations = command("listDestinations", { query: { workspace_id: some("workspace") } })
