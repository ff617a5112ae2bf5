/** Messages in the shape of chat completions, for platforms that show no other. */
import type { Message, Part } from "./messages.ts"

const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

const called = (part: Part) => ({
  ...(typeof part["id"] === "string" ? { id: part["id"] } : {}),
  type: "function",
  function: { name: part["name"], arguments: textOf(part["arguments"]) }
})

const contentOf = (parts: readonly Part[]): unknown =>
  parts.length === 0
    ? null
    : parts.every(({ type }) => type === "text")
      ? parts.map((part) => textOf(part["content"])).join("\n")
      : parts.map((part) => (part.type === "text" ? { type: "text", text: textOf(part["content"]) } : part))

export const chatMessages = (messages: readonly Message[]): readonly Readonly<Record<string, unknown>>[] =>
  messages.map(({ role, parts }) => {
    const answer = parts.find(({ type }) => type === "tool_call_response")
    if (answer !== undefined) return { role, tool_call_id: answer["id"], content: textOf(answer["response"]) }
    const calls = parts.filter(({ type }) => type === "tool_call")
    return {
      role,
      content: contentOf(parts.filter(({ type }) => type !== "tool_call")),
      ...(calls.length === 0 ? {} : { tool_calls: calls.map(called) })
    }
  })
