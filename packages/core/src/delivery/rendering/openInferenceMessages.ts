/**
 * Messages under OpenInference's names: as a whole in `input.value`, and one by one with their texts and calls of tools.
 *
 * Source: https://github.com/Arize-ai/openinference/blob/main/spec/semantic_conventions.md
 */
import { type Attribute, text } from "./Span.ts"
import type { Message, Part } from "./messages.ts"

const textOf = (value: unknown): string => (typeof value === "string" ? value : (JSON.stringify(value) ?? ""))

const callAttributes = (prefix: string, calls: readonly Part[]): readonly Attribute[] =>
  calls.flatMap((call, index) => {
    const at = `${prefix}.message.tool_calls.${index}.tool_call`
    return [
      ...(typeof call["id"] === "string" ? [text(`${at}.id`, call["id"])] : []),
      text(`${at}.function.name`, textOf(call["name"])),
      text(`${at}.function.arguments`, textOf(call["arguments"]))
    ]
  })

const messageAttributes = (prefix: string, { role, parts }: Message): readonly Attribute[] => {
  const answer = parts.find(({ type }) => type === "tool_call_response")
  const contents = parts.flatMap((part) =>
    part.type === "text" ? [textOf(part["content"])] : part === answer ? [textOf(part["response"])] : []
  )
  return [
    text(`${prefix}.message.role`, role),
    ...(contents.length === 0 ? [] : [text(`${prefix}.message.content`, contents.join("\n"))]),
    ...(typeof answer?.["id"] === "string" ? [text(`${prefix}.message.tool_call_id`, answer["id"])] : []),
    ...callAttributes(
      prefix,
      parts.filter(({ type }) => type === "tool_call")
    )
  ]
}

/** Each message is at least three attributes: a long history is left to `input.value`. */
const mostMessages = 50

/** The messages as a whole. */
export const bodyValue = (side: "input" | "output", messages: readonly Message[] | undefined): readonly Attribute[] =>
  messages === undefined
    ? []
    : [text(`${side}.value`, JSON.stringify(messages)), text(`${side}.mime_type`, "application/json")]

export const openInferenceMessages = (
  side: "input" | "output",
  messages: readonly Message[] | undefined
): readonly Attribute[] =>
  messages === undefined
    ? []
    : [
        ...bodyValue(side, messages),
        ...messages
          .slice(-mostMessages)
          .flatMap((message, index) => messageAttributes(`llm.${side}_messages.${index}`, message))
      ]
