/** Anthropic's messages, as its reference and the types of its client define them. */
import { type ApiForm, textOf, type Written } from "./ApiForm.ts"
import type { ChatUsage } from "./chatUpstream.ts"

export const signature = "EqQBsignature"

/** What was read from a cache or stored in it is not among `input_tokens`. */
const usageOf = ({ prompt_tokens, completion_tokens, ...details }: ChatUsage) => {
  const { cached_tokens = 0, cache_write_tokens = 0 } = details.prompt_tokens_details ?? {}
  const thinking_tokens = details.completion_tokens_details?.reasoning_tokens
  return {
    input_tokens: prompt_tokens - cached_tokens - cache_write_tokens,
    cache_creation_input_tokens: cache_write_tokens,
    cache_read_input_tokens: cached_tokens,
    output_tokens: completion_tokens,
    ...(thinking_tokens === undefined ? {} : { output_tokens_details: { thinking_tokens } })
  }
}

const atStart = (usage: ChatUsage) => {
  const { output_tokens_details: _, ...counted } = usageOf(usage)
  return {
    ...counted,
    cache_creation: { ephemeral_5m_input_tokens: counted.cache_creation_input_tokens, ephemeral_1h_input_tokens: 0 },
    output_tokens: 1,
    service_tier: "standard"
  }
}

const blockOf = (written: Written, index: number): object => {
  switch (written.kind) {
    case "text":
      return { type: "text", text: textOf(written) }
    case "thinking":
      return { type: "thinking", thinking: textOf(written), signature }
    case "call":
      return {
        type: "tool_use",
        id: `toolu_${index}`,
        name: written.name,
        input: JSON.parse(textOf(written) || "{}") as object
      }
  }
}

const beginning = (written: Written, index: number): object => blockOf({ ...written, pieces: [] }, index)

const deltasOf = ({ kind, pieces }: Written): readonly object[] => {
  switch (kind) {
    case "text":
      return pieces.map((piece) => ({ type: "text_delta", text: piece }))
    case "thinking":
      return [
        ...pieces.map((piece) => ({ type: "thinking_delta", thinking: piece })),
        { type: "signature_delta", signature }
      ]
    case "call":
      return pieces.map((piece) => ({ type: "input_json_delta", partial_json: piece }))
  }
}

const stopOf = (written: readonly Written[]) => ({
  stop_reason: written.some(({ kind }) => kind === "call") ? "tool_use" : "end_turn",
  stop_sequence: null
})

const head = { id: "msg_upstream", type: "message", role: "assistant", model: "scripted-2026" }

const errorTypes: Readonly<Record<number, string>> = {
  400: "invalid_request_error",
  429: "rate_limit_error",
  529: "overloaded_error"
}

export const messagesForm: ApiForm = {
  path: "/messages",
  answer: (written, usage) => ({
    ...head,
    content: written.map(blockOf),
    ...stopOf(written),
    ...(usage === undefined ? {} : { usage: { ...atStart(usage), ...usageOf(usage) } })
  }),
  events: (written, usage) => [
    {
      type: "message_start",
      message: {
        ...head,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        ...(usage === undefined ? {} : { usage: atStart(usage) })
      }
    },
    { type: "ping" },
    ...written.flatMap((one, index) => [
      {
        type: "content_block_start",
        index,
        content_block: { ...beginning(one, index), ...(one.kind === "thinking" ? { signature: "" } : {}) }
      },
      ...deltasOf(one).map((delta) => ({ type: "content_block_delta", index, delta })),
      { type: "content_block_stop", index }
    ]),
    { type: "message_delta", delta: stopOf(written), ...(usage === undefined ? {} : { usage: usageOf(usage) }) },
    { type: "message_stop" }
  ],
  isPiece: (event) => typeof event === "object" && Reflect.get(event, "type") === "content_block_delta",
  error: (status, message) => ({
    type: "error",
    error: { type: errorTypes[status] ?? "api_error", message },
    request_id: "req_upstream"
  })
}
