import { command } from "../modelBased/Command.ts"

export const getAnalyticsMeta = command("getAnalyticsMeta", { weight: 1 })
