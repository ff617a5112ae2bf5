/**
 * The attributes of a model call after the GenAI conventions, and those that the public API's guides name.
 *
 * Source: https://github.com/open-telemetry/semantic-conventions/blob/main/docs/gen-ai/gen-ai-spans.md
 * Rule: observability#what-a-platform-receives.
 */
import type { RequestSpan } from "./RequestSpan.ts"
import { type Attribute, addKnown, anyValue, decimal, text, texts, whole } from "./Span.ts"
import { addIncluded } from "./includedAttributes.ts"
import { providerName } from "./providerName.ts"
import { requestAttributes } from "./requestAttributes.ts"

/** What describes the whole trace: platforms read it from the root span too. */
const ofTrace = new Set(["session.id", "user.id", "gen_ai.conversation.id", "trace.name", "error.type"])

export const traceAttributes = (attributes: readonly Attribute[]): readonly Attribute[] =>
  attributes.filter(({ key }) => ofTrace.has(key))

export const metadataPrefix = "trace.metadata."

/** The bodies under the names of the conventions. A platform that lists root spans wants them there, too. */
export const bodyAttributes = ({ input, output }: RequestSpan): readonly Attribute[] => [
  ...(input === undefined ? [] : [text("gen_ai.input.messages", JSON.stringify(input))]),
  ...(output === undefined ? [] : [text("gen_ai.output.messages", JSON.stringify(output))])
]

const addBodies = (into: Attribute[], span: RequestSpan): void => {
  if (span.leftOut === "nothing") into.push(...requestAttributes(span.delivered.input), ...bodyAttributes(span))
  else into.push(text("gatewarden.left_out", span.leftOut))
}

export const genAiAttributes = (span: RequestSpan): readonly Attribute[] => {
  const { delivered, keys, model, operation, leftOut } = span
  const { event } = delivered
  const provider = providerName(event.provider)
  const all: Attribute[] = [
    text("gen_ai.operation.name", operation),
    text("gen_ai.provider.name", provider),
    text("gen_ai.system", provider),
    text("gen_ai.request.model", model),
    text("gen_ai.response.model", event.model),
    text("gen_ai.response.id", event.id),
    whole("gen_ai.usage.input_tokens", event.prompt_tokens),
    whole("gen_ai.usage.output_tokens", event.completion_tokens),
    whole(
      "gen_ai.usage.total_tokens",
      Math.min(event.prompt_tokens + event.completion_tokens, Number.MAX_SAFE_INTEGER)
    ),
    whole("gen_ai.usage.cache_read.input_tokens", event.cached_tokens),
    whole("gen_ai.usage.cache_creation.input_tokens", event.cache_write_tokens),
    whole("gen_ai.usage.reasoning.output_tokens", event.reasoning_tokens)
  ]
  if (event.finish_reason !== null) {
    all.push(text("gen_ai.response.finish_reason", event.finish_reason))
    all.push(texts("gen_ai.response.finish_reasons", [event.finish_reason]))
  }
  if (event.latency_ms !== null) all.push(decimal("gen_ai.response.time_to_first_chunk", event.latency_ms / 1000))
  addKnown(all, text, "gen_ai.conversation.id", event.session_id)
  addKnown(all, text, "session.id", event.session_id)
  addKnown(all, text, "user.id", event.external_user)
  if (event.status !== "ok") all.push(text("error.type", event.status))
  all.push(text("trace.name", keys.trace_name ?? event.model))
  if (leftOut !== "metadata")
    for (const [key, value] of keys.metadata) all.push(...anyValue(`${metadataPrefix}${key}`, value))
  addIncluded(all, delivered, span.include)
  addBodies(all, span)
  return all
}
