import { command } from "../model/Command.ts"

export const getCurrentKey = command("getCurrentKey", { weight: 3 })
