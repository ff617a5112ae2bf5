import { command } from "../Command.ts"

export const listMemberAssignments = command("listMemberAssignments")
