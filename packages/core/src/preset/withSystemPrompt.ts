import type { ChatMessage } from "@gatewarden/contract"
import { isInstruction } from "./systemPrompt.ts"

/** A conversation that brings no instructions of its own starts with the preset's: the request wins, as in the merge. */
export const withSystemPrompt = (messages: readonly ChatMessage[], prompt: string): readonly ChatMessage[] =>
  prompt === "" || messages.some(isInstruction) ? messages : [{ role: "system", content: prompt }, ...messages]
