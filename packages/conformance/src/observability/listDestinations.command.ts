import { command } from "../model/Command.ts"
import { some } from "../model/Thing.ts"

export const listDestinations = command("listDestinations", { query: { workspace_id: some("workspace") } })
