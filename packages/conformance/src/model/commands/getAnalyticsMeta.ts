import { command } from "../Command.ts"

export const getAnalyticsMeta = command("getAnalyticsMeta", { weight: 1 })
