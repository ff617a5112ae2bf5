/**
 * What a preset keeps of a request, exactly as it was sent.
 *
 * Rule: presets#kept-fields. Messages, streaming and what belongs to a single request (user, session, metadata, trace) are not
 * among it.
 */

/** The fields that a preset keeps. */
export const presetFields = [
  "model",
  "models",
  "temperature",
  "top_p",
  "top_k",
  "top_a",
  "min_p",
  "frequency_penalty",
  "presence_penalty",
  "repetition_penalty",
  "seed",
  "stop",
  "max_tokens",
  "max_completion_tokens",
  "logit_bias",
  "logprobs",
  "top_logprobs",
  "response_format",
  "tools",
  "tool_choice",
  "parallel_tool_calls",
  "stop_server_tools_when",
  "modalities",
  "reasoning",
  "reasoning_effort",
  "provider",
  "route",
  "plugins",
  "service_tier",
  "cache_control",
  "image_config"
] as const

const kept: ReadonlySet<string> = new Set(presetFields)

/** The kept fields of a request as it was sent, in its order; a field that is `null` is as good as absent. */
export const presetConfig = (sent: object): Record<string, unknown> =>
  Object.fromEntries(Object.entries(sent).filter(([name, value]) => kept.has(name) && value !== null))
