import { command } from "../modelBased/Command.ts"
import { recordedIds } from "./getGeneration.command.ts"

export const submitGenerationFeedback = command("submitGenerationFeedback", {
  weight: 3,
  body: { generation_id: recordedIds }
})
