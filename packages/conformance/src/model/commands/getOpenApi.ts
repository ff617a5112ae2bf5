import { command } from "../Command.ts"

export const getOpenApi = command("getOpenApi", { weight: 1 })
