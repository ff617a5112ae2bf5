import { command } from "../model/Command.ts"

export const getOpenApi = command("getOpenApi", { weight: 1 })
