import { command } from "../modelBased/Command.ts"

export const listWorkspaces = command("listWorkspaces")
