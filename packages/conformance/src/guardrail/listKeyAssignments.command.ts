import { command } from "../model/Command.ts"

export const listKeyAssignments = command("listKeyAssignments")
