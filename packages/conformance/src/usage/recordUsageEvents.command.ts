import { command } from "../modelBased/Command.ts"
import { usageBatches } from "../admission/traffic.ts"

export const recordUsageEvents = command("recordUsageEvents", { weight: 10, body: usageBatches })
