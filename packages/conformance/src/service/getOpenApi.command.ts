import { command } from "../modelBased/Command.ts"

export const getOpenApi = command("getOpenApi", { weight: 1 })
