import { command } from "../modelBased/Command.ts"

export const getCredits = command("getCredits")
