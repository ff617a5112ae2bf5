/**
 * Bodies as the GenAI conventions describe them: messages with parts.
 *
 * Bodies are what the data plane reported, in the format of any API. Chat completions, Messages, Responses and completions are understood;
 * anything else becomes one text with its JSON.
 *
 * Source: https://github.com/open-telemetry/semantic-conventions-genai/tree/v0.1.0/model/gen-ai (gen-ai-input-messages.json,
 * gen-ai-output-messages.json)
 */
export type Part = { readonly type: string } & Readonly<Record<string, unknown>>

export interface Message {
  readonly role: string
  readonly parts: readonly Part[]
}

export interface OutputMessage extends Message {
  readonly finish_reason: string
}

type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

export const textPart = (content: string): Part => ({ type: "text", content })

const asJson = (value: unknown): string => JSON.stringify(value) ?? ""

const asText = (value: unknown): string => (typeof value === "string" ? value : asJson(value))

/** Arguments of tools are JSON in a string; what is no JSON stays a string. */
const parsed = (value: unknown): unknown => {
  if (typeof value !== "string") return value ?? null
  try {
    return JSON.parse(value) as unknown
  } catch {
    return value
  }
}

const nameOf = (value: unknown): string => (typeof value === "string" ? value : "")

const toolCall = (id: unknown, name: unknown, given: unknown): Part => ({
  type: "tool_call",
  id: typeof id === "string" ? id : null,
  name: nameOf(name),
  arguments: parsed(given)
})

const toolResponse = (id: unknown, response: unknown): Part => ({
  type: "tool_call_response",
  id: typeof id === "string" ? id : null,
  response: response ?? null
})

/** A part of a content list, in the words of any of the APIs. */
const partOf = (item: unknown): readonly Part[] => {
  if (typeof item === "string") return [textPart(item)]
  if (!isFields(item)) return item === null || item === undefined ? [] : [textPart(asJson(item))]
  switch (item["type"]) {
    case "text":
    case "input_text":
    case "output_text":
      return [textPart(asText(item["text"] ?? item["content"] ?? ""))]
    case "refusal":
      return [textPart(asText(item["refusal"] ?? ""))]
    case "thinking":
    case "reasoning":
      return reasoningPart(item["thinking"] ?? item["summary"] ?? item["text"] ?? item["content"])
    case "tool_use":
      return [toolCall(item["id"], item["name"], item["input"])]
    case "function_call":
      return [toolCall(item["call_id"] ?? item["id"], item["name"], item["arguments"])]
    case "tool_result":
      return [toolResponse(item["tool_use_id"], item["content"])]
    case "function_call_output":
      return [toolResponse(item["call_id"], item["output"])]
    default:
      return typeof item["type"] === "string" ? [{ ...item, type: item["type"] }] : [textPart(asJson(item))]
  }
}

const reasoningPart = (content: unknown): readonly Part[] =>
  content === undefined || content === null || content === "" || (Array.isArray(content) && content.length === 0)
    ? []
    : [{ type: "reasoning", content: asText(content) }]

const contentParts = (content: unknown): readonly Part[] =>
  Array.isArray(content) ? content.flatMap(partOf) : partOf(content)

const messageOf = (value: unknown, role: string): Message => {
  if (!isFields(value)) return { role, parts: partOf(value) }
  const own = typeof value["role"] === "string" ? value["role"] : role
  // An item of the Responses API that is no message: a call of a tool, its result, a piece of reasoning.
  if (value["role"] === undefined && typeof value["type"] === "string" && value["type"] !== "message")
    return { role: value["type"] === "function_call_output" ? "tool" : role, parts: partOf(value) }
  if (own === "tool") return { role: own, parts: [toolResponse(value["tool_call_id"], value["content"])] }
  const calls = Array.isArray(value["tool_calls"]) ? value["tool_calls"] : []
  return {
    role: own,
    parts: [
      ...reasoningPart(value["reasoning"] ?? value["reasoning_content"]),
      ...contentParts("content" in value ? value["content"] : "tool_calls" in value ? null : asJson(value)),
      ...calls.filter(isFields).map((call) => {
        const called = isFields(call["function"]) ? call["function"] : call
        return toolCall(call["id"], called["name"], called["arguments"])
      })
    ]
  }
}

const messagesOf = (value: unknown, role: string): readonly Message[] =>
  Array.isArray(value) ? value.map((item) => messageOf(item, role)) : [messageOf(value, role)]

/** The messages that were sent; `undefined` for no body. */
export const inputMessages = (input: unknown): readonly Message[] | undefined => {
  if (input === undefined || input === null) return undefined
  if (!isFields(input)) return messagesOf(input, "user")
  const system = input["system"] ?? input["instructions"]
  const first = system === undefined || system === null ? [] : [{ role: "system", parts: contentParts(system) }]
  for (const key of ["messages", "input", "prompt"])
    if (key in input) return [...first, ...messagesOf(input[key], "user")]
  return [...first, messageOf(input, "user")]
}

/**
 * The messages that were received, one for each choice. A choice without a reason of its own has the event's; `finish_reason` is what to
 * write if the event has none, because the schema demands a reason, and `stop` would call a failure a success.
 */
export const outputMessages = (output: unknown, finish_reason: string): readonly OutputMessage[] | undefined => {
  if (output === undefined || output === null) return undefined
  const finished = (message: Message, reason: unknown): OutputMessage => ({
    ...message,
    finish_reason: typeof reason === "string" ? reason : finish_reason
  })
  const choices = isFields(output) ? (output["choices"] ?? output["output"]) : output
  if (isFields(output) && choices === undefined)
    return [finished(messageOf(output, "assistant"), output["stop_reason"])]
  return (Array.isArray(choices) ? choices : [choices]).map((choice: unknown) =>
    isFields(choice) && ("message" in choice || ("text" in choice && choice["type"] === undefined))
      ? finished(messageOf(choice["message"] ?? choice["text"], "assistant"), choice["finish_reason"])
      : finished(messageOf(choice, "assistant"), isFields(choice) ? choice["finish_reason"] : undefined)
  )
}

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

/** Messages in the shape of chat completions, for platforms that show no other. */
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

export interface TextMessage {
  readonly role: string
  readonly content: string
}

const partText = (part: Part): string =>
  part.type === "text" && typeof part["content"] === "string" ? part["content"] : JSON.stringify(part)

/** Messages for platforms whose messages are texts; a part of another kind is its JSON. */
export const messageTexts = (messages: readonly Message[]): readonly TextMessage[] =>
  messages.map(({ role, parts }) => ({ role, content: parts.map(partText).join("\n") }))
