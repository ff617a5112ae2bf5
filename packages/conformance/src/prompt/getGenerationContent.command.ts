import { command } from "../modelBased/Command.ts"
import { recordedIds } from "../usage/getGeneration.command.ts"

export const getGenerationContent = command("getGenerationContent", { weight: 3, query: { id: recordedIds } })
