/**
 * The attributes of a model call after the GenAI conventions, and those that the public API's guides name.
 *
 * Source: https://github.com/open-telemetry/semantic-conventions/blob/main/docs/gen-ai/gen-ai-spans.md
 * Rule: observability#what-a-platform-receives.
 */
import { includedAttributes } from "./includedAttributes.ts"
import { providerName } from "./providerName.ts"
import { requestAttributes } from "./requestAttributes.ts"
import type { RequestSpan } from "./RequestSpan.ts"
import { anyValue, type Attribute, decimal, known, text, texts, whole } from "./Span.ts"

/** What describes the whole trace: platforms read it from the root span too. */
const ofTrace = new Set(["session.id", "user.id", "gen_ai.conversation.id", "trace.name"])

export const traceAttributes = (attributes: readonly Attribute[]): readonly Attribute[] =>
  attributes.filter(({ key }) => ofTrace.has(key))

export const metadataPrefix = "trace.metadata."

const usageAttributes = ({ delivered: { event } }: RequestSpan): readonly Attribute[] => [
  whole("gen_ai.usage.input_tokens", event.prompt_tokens),
  whole("gen_ai.usage.output_tokens", event.completion_tokens),
  whole("gen_ai.usage.total_tokens", Math.min(event.prompt_tokens + event.completion_tokens, Number.MAX_SAFE_INTEGER)),
  whole("gen_ai.usage.cache_read.input_tokens", event.cached_tokens),
  whole("gen_ai.usage.reasoning.output_tokens", event.reasoning_tokens)
]

const bodyAttributes = (span: RequestSpan): readonly Attribute[] => {
  const { delivered, leftOut, input, output } = span
  if (leftOut !== "nothing") return [text("gatewarden.left_out", leftOut)]
  return [
    ...requestAttributes(delivered.input),
    ...(input === undefined ? [] : [text("gen_ai.input.messages", JSON.stringify(input))]),
    ...(output === undefined ? [] : [text("gen_ai.output.messages", JSON.stringify(output))])
  ]
}

export const genAiAttributes = (span: RequestSpan): readonly Attribute[] => {
  const { delivered, keys, model, operation, leftOut } = span
  const { event } = delivered
  const provider = providerName(event.provider)
  return [
    text("gen_ai.operation.name", operation),
    text("gen_ai.provider.name", provider),
    text("gen_ai.system", provider),
    text("gen_ai.request.model", model),
    text("gen_ai.response.model", event.model),
    text("gen_ai.response.id", event.id),
    ...usageAttributes(span),
    ...known(text, "gen_ai.response.finish_reason", event.finish_reason),
    ...(event.finish_reason === null ? [] : [texts("gen_ai.response.finish_reasons", [event.finish_reason])]),
    ...(event.latency_ms === null ? [] : [decimal("gen_ai.response.time_to_first_chunk", event.latency_ms / 1000)]),
    ...known(text, "gen_ai.conversation.id", event.session_id),
    ...known(text, "session.id", event.session_id),
    ...known(text, "user.id", event.external_user),
    ...(event.status === "ok" ? [] : [text("error.type", event.status)]),
    text("trace.name", keys.trace_name ?? event.model),
    ...(leftOut === "metadata"
      ? []
      : keys.metadata.flatMap(([key, value]) => anyValue(`${metadataPrefix}${key}`, value))),
    ...includedAttributes(delivered, span.include),
    ...bodyAttributes(span)
  ]
}
