import { command } from "../model/Command.ts"

export const listMemberAssignments = command("listMemberAssignments")
