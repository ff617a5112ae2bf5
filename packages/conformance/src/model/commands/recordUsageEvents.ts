import { command } from "../Command.ts"
import { usageBatches } from "../traffic.ts"

export const recordUsageEvents = command("recordUsageEvents", { weight: 10, body: usageBatches })
