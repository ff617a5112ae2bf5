import { command } from "../modelBased/Command.ts"

export const listOrganizationMembers = command("listOrganizationMembers")
