import { command } from "../modelBased/Command.ts"

export const listKeyAssignments = command("listKeyAssignments")
