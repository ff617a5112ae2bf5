import { command } from "../model/Command.ts"

export const getAnalyticsMeta = command("getAnalyticsMeta", { weight: 1 })
