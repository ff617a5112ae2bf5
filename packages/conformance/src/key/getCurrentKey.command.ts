import { command } from "../modelBased/Command.ts"

export const getCurrentKey = command("getCurrentKey", { weight: 3 })
