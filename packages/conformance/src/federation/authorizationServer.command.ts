import { command } from "../modelBased/Command.ts"

export const getAuthorizationServer = command("getAuthorizationServer", { weight: 1 })

export const listSigningKeys = command("listSigningKeys", { weight: 1 })
