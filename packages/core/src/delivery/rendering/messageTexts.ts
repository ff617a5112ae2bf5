import type { Message, Part } from "./messages.ts"

export interface TextMessage {
  readonly role: string
  readonly content: string
}

const textOf = (part: Part): string =>
  part.type === "text" && typeof part["content"] === "string" ? part["content"] : JSON.stringify(part)

/** Messages for platforms whose messages are texts; a part of another kind is its JSON. */
export const messageTexts = (messages: readonly Message[]): readonly TextMessage[] =>
  messages.map(({ role, parts }) => ({ role, content: parts.map(textOf).join("\n") }))
