/** OpenAI's responses, as its reference and the types of its client define them. */
import { type ApiForm, textOf, type Written } from "./ApiForm.ts"
import type { ChatUsage } from "./chatUpstream.ts"

export const encrypted = "gAAAAABencrypted"

const usageOf = (usage: ChatUsage | undefined) =>
  usage && {
    input_tokens: usage.prompt_tokens,
    input_tokens_details: {
      cached_tokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
      ...(usage.prompt_tokens_details?.cache_write_tokens === undefined
        ? {}
        : { cache_write_tokens: usage.prompt_tokens_details.cache_write_tokens })
    },
    output_tokens: usage.completion_tokens,
    output_tokens_details: { reasoning_tokens: usage.completion_tokens_details?.reasoning_tokens ?? 0 },
    total_tokens: usage.prompt_tokens + usage.completion_tokens
  }

type Status = "in_progress" | "completed"

const outputText = (written: string) => ({ type: "output_text", text: written, annotations: [], logprobs: [] })

const itemOf = (written: Written, index: number, status: Status): object => {
  const done = status === "completed"
  switch (written.kind) {
    case "text":
      return {
        id: `msg_${index}`,
        type: "message",
        status,
        role: "assistant",
        content: done ? [outputText(textOf(written))] : []
      }
    case "thinking":
      return {
        id: `rs_${index}`,
        type: "reasoning",
        summary: done ? [{ type: "summary_text", text: textOf(written) }] : [],
        encrypted_content: encrypted
      }
    case "call":
      return {
        id: `fc_${index}`,
        type: "function_call",
        status,
        call_id: `call_${index}`,
        name: written.name,
        arguments: done ? textOf(written) : ""
      }
  }
}

const responseOf = (status: Status, output: readonly object[], usage: ChatUsage | undefined) => ({
  id: "resp_upstream",
  object: "response",
  created_at: 1_700_000_000,
  status,
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  model: "scripted-2026",
  output,
  parallel_tool_calls: true,
  temperature: 1,
  tool_choice: "auto",
  tools: [],
  top_p: 1,
  max_output_tokens: null,
  previous_response_id: null,
  reasoning: { effort: null, summary: null },
  store: false,
  text: { format: { type: "text" } },
  truncation: "disabled",
  usage: usageOf(usage) ?? null
})

const piecesOf = (written: Written, output_index: number): readonly object[] => {
  const whole = textOf(written)
  switch (written.kind) {
    case "text": {
      const at = { item_id: `msg_${output_index}`, output_index, content_index: 0 }
      return [
        { type: "response.content_part.added", ...at, part: outputText("") },
        ...written.pieces.map((delta) => ({ type: "response.output_text.delta", ...at, delta, logprobs: [] })),
        { type: "response.output_text.done", ...at, text: whole, logprobs: [] },
        { type: "response.content_part.done", ...at, part: outputText(whole) }
      ]
    }
    case "thinking": {
      const at = { item_id: `rs_${output_index}`, output_index, summary_index: 0 }
      return [
        { type: "response.reasoning_summary_part.added", ...at, part: { type: "summary_text", text: "" } },
        ...written.pieces.map((delta) => ({ type: "response.reasoning_summary_text.delta", ...at, delta })),
        { type: "response.reasoning_summary_text.done", ...at, text: whole },
        { type: "response.reasoning_summary_part.done", ...at, part: { type: "summary_text", text: whole } }
      ]
    }
    case "call": {
      const at = { item_id: `fc_${output_index}`, output_index }
      return [
        ...written.pieces.map((delta) => ({ type: "response.function_call_arguments.delta", ...at, delta })),
        { type: "response.function_call_arguments.done", ...at, name: written.name, arguments: whole }
      ]
    }
  }
}

export const responsesForm: ApiForm = {
  path: "/responses",
  answer: (written, usage) =>
    responseOf(
      "completed",
      written.map((one, index) => itemOf(one, index, "completed")),
      usage
    ),
  events: (written, usage) => {
    const output = written.map((one, index) => itemOf(one, index, "completed"))
    const events = [
      { type: "response.created", response: responseOf("in_progress", [], undefined) },
      { type: "response.in_progress", response: responseOf("in_progress", [], undefined) },
      ...written.flatMap((one, output_index) => [
        { type: "response.output_item.added", output_index, item: itemOf(one, output_index, "in_progress") },
        ...piecesOf(one, output_index),
        { type: "response.output_item.done", output_index, item: output[output_index] }
      ]),
      { type: "response.completed", response: responseOf("completed", output, usage) }
    ]
    return events.map((event, sequence_number) => ({ ...event, sequence_number }))
  },
  isPiece: (event) => typeof event === "object" && String(Reflect.get(event, "type")).endsWith(".delta"),
  error: (_, message) => ({ error: { message, type: "invalid_request_error", param: null, code: null } })
}
