/**
 * The instructions of a conversation as one text.
 *
 * Rule: presets#system-prompt: the text of all `system` and `developer` messages in order, joined by a blank line; of content in
 * parts the text parts, joined by a newline; none: `""`.
 */
import type { ChatMessage } from "@gatewarden/contract"

export const isInstruction = ({ role }: Pick<ChatMessage, "role">): boolean => role === "system" || role === "developer"

/** A text, or the text parts of a content, joined by a newline. */
export const textOf = (content: ChatMessage["content"] | undefined): string =>
  typeof content === "string"
    ? content
    : (content ?? [])
        .filter((part) => part.type === "text")
        .map((part) => part["text"])
        .join("\n")

export const systemPrompt = (messages: readonly ChatMessage[]): string =>
  messages
    .filter(isInstruction)
    .map(({ content }) => textOf(content))
    .join("\n\n")

/**
 * Adds the preset's system prompt to a conversation without instructions of its own; those of the request take precedence, as in the
 * merge.
 */
export const withSystemPrompt = (messages: readonly ChatMessage[], prompt: string): readonly ChatMessage[] =>
  prompt === "" || messages.some(isInstruction) ? messages : [{ role: "system", content: prompt }, ...messages]
