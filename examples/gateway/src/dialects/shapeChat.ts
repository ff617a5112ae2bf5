/**
 * An upstream's answer, whole or a chunk of it, as clients of this dialect parse it.
 *
 * `@openrouter/sdk` refuses an answer for a field that is missing or `null` where it expects none, and upstreams leave out or
 * send `null` as they like. What is there is kept.
 */
import { type Fields, isFields, type Shaping } from "./Dialect.ts"

/** Where `null` says something. */
const nullable = new Set(["content", "finish_reason", "refusal", "logprobs", "reasoning", "bytes"])

const withoutNulls = (fields: Fields): Record<string, unknown> => {
  const kept: Record<string, unknown> = {}
  for (const name in fields) if (fields[name] !== null || nullable.has(name)) kept[name] = fields[name]
  return kept
}

const shapeTool = (tool: unknown, index: number, whole: boolean): unknown =>
  isFields(tool) ? { ...(whole ? { type: "function" } : { index }), ...withoutNulls(tool) } : tool

/** `hides`: the client does not want to read what the model thought. */
const shapeMessage = (message: Fields, whole: boolean, hides: boolean): Fields => {
  const shaped = withoutNulls(message)
  if (Array.isArray(shaped["tool_calls"]))
    shaped["tool_calls"] = shaped["tool_calls"].map((tool, index) => shapeTool(tool, index, whole))
  // DeepSeek's name for it, and that of all who took it over.
  if (typeof shaped["reasoning_content"] === "string") shaped["reasoning"] ??= shaped["reasoning_content"]
  if (hides) for (const name of ["reasoning", "reasoning_content", "reasoning_details"]) delete shaped[name]
  // Of every delta, too: without it @langchain/openai reads neither tools nor usage.
  shaped["role"] ??= "assistant"
  return shaped
}

const shapeChoice = (choice: unknown, index: number, member: "message" | "delta", hides: boolean): unknown => {
  if (!isFields(choice)) return choice
  const message = isFields(choice[member]) ? choice[member] : {}
  return {
    index,
    finish_reason: null,
    ...withoutNulls(choice),
    [member]: shapeMessage(message, member === "message", hides)
  }
}

const shape =
  (object: string, member: "message" | "delta") =>
  (answer: Fields, { id, created, answering, form }: Shaping): Fields => {
    // What was used is told once and at the end, with what it cost.
    const { usage: _, error: __, choices, ...rest } = withoutNulls(answer)
    return {
      created,
      ...rest,
      id,
      object,
      ...answering,
      choices: (Array.isArray(choices) ? choices : []).map((choice, index) =>
        shapeChoice(choice, index, member, form.hidesReasoning === true)
      )
    }
  }

export const shapeChunk = shape("chat.completion.chunk", "delta")

const shapeWhole = shape("chat.completion", "message")

/** The public client insists on a fingerprint, which not all upstreams have. */
export const shapeAnswer = (answer: Fields, shaping: Shaping): Fields => ({
  system_fingerprint: null,
  ...shapeWhole(answer, shaping)
})
