import { command } from "../modelBased/Command.ts"
import { some } from "../modelBased/Thing.ts"

export const listDestinations = command("listDestinations", { query: { workspace_id: some("workspace") } })
