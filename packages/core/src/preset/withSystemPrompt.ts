import type { ChatMessage } from "@gatewarden/contract"
import { isInstruction } from "./systemPrompt.ts"

/**
 * Adds the preset's system prompt to a conversation without instructions of its own; those of the request take precedence, as in the
 * merge.
 */
export const withSystemPrompt = (messages: readonly ChatMessage[], prompt: string): readonly ChatMessage[] =>
  prompt === "" || messages.some(isInstruction) ? messages : [{ role: "system", content: prompt }, ...messages]
