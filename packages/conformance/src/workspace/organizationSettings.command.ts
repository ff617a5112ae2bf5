import { command } from "../modelBased/Command.ts"

export const getOrganizationSettings = command("getOrganizationSettings")

export const updateOrganizationSettings = command("updateOrganizationSettings")
