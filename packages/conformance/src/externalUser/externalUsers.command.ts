import * as fc from "fast-check"
import { command } from "../modelBased/Command.ts"

// Few names, those that keys and usage of a run have, too: most calls meet one that is registered.
const user = fc.constantFrom("user-1", "guest", "end user", " guest")

export const externalUserCommands = [
  command("createExternalUser", { weight: 2, body: { user } }),
  command("listExternalUsers"),
  command("getExternalUser", { params: { user } }),
  command("updateExternalUser", { params: { user } }),
  command("deleteExternalUser", { params: { user } })
]
