import { command } from "../modelBased/Command.ts"

export const listMemberAssignments = command("listMemberAssignments")
