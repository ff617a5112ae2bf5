import { command } from "../Command.ts"

export const getCurrentKey = command("getCurrentKey", { weight: 3 })
