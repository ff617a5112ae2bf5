import { command } from "../Command.ts"

export const listKeyAssignments = command("listKeyAssignments")
