/**
 * What platforms make of a span, as far as it is shown: small tables after their own code. Versions and files are in
 * `docs/reference/destinations.md`.
 */
import { nestedAttributes } from "@gatewarden/testkit/delivery/platforms/weave"
import type { ReceivedSpan } from "@gatewarden/testkit/delivery/platforms/readSpans"

export interface Shown {
  readonly isError: boolean
  readonly error: string | undefined
  readonly cost: unknown
  readonly tokens: {
    readonly input: unknown
    readonly output: unknown
    readonly cached: unknown
    readonly reasoning: unknown
  }
  readonly tags: readonly string[]
  readonly input: unknown
  readonly output: unknown
  readonly metadata: Readonly<Record<string, unknown>>
}

type Values = Readonly<Record<string, unknown>>

const asText = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined)

const parsed = (value: unknown): unknown => {
  const text = asText(value)
  if (text === undefined) return value
  try {
    return JSON.parse(text) as unknown
  } catch {
    return text
  }
}

const valuesOf = (value: unknown): Values =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Values) : {}

const exceptionOf = ({ events }: ReceivedSpan): Values | undefined =>
  events.findLast(({ name }) => name === "exception")?.attributes

const withoutPrefix = (attributes: Values, prefix: string): Values =>
  Object.fromEntries(
    Object.entries(attributes)
      .filter(([key]) => key.startsWith(prefix))
      .map(([key, value]) => [key.slice(prefix.length), value])
  )

/** `otel_converter.go`: `processMessages` reads indexed messages alone, `processInputsOutputs` objects, `processTokenUsage` needs outputs. */
const langsmith = (span: ReceivedSpan): Shown => {
  const { attributes } = span
  const first = (keys: readonly string[]) =>
    keys.map((key) => attributes[key]).find((value) => asText(value) !== undefined)
  const object = (value: unknown, name: string) => {
    const read = parsed(value)
    return value === undefined
      ? undefined
      : typeof read === "object" && !Array.isArray(read)
        ? valuesOf(read)
        : { [name]: value }
  }
  const input = object(first(["input.value", "traceloop.entity.input", "gen_ai.prompt", "prompt"]), "input")
  const output = object(first(["output.value", "traceloop.entity.output", "gen_ai.completion"]), "text")
  const usage = output === undefined ? {} : valuesOf(parsed(attributes["langsmith.usage_metadata"]))
  const exception = exceptionOf(span)
  return {
    isError: exception !== undefined,
    error: asText(exception?.["exception.message"]),
    cost: usage["total_cost"],
    tokens: {
      input: usage["input_tokens"],
      output: usage["output_tokens"],
      cached: valuesOf(usage["input_token_details"])["cache_read"],
      reasoning: valuesOf(usage["output_token_details"])["reasoning"]
    },
    tags: (asText(attributes["langsmith.span.tags"]) ?? "").split(",").filter((tag) => tag !== ""),
    input: input?.["messages"] ?? input,
    output: output?.["messages"],
    metadata: withoutPrefix(attributes, "langsmith.metadata.")
  }
}

/** `GenAIMappingRules.java`, `GeneralMappingRules.java`: the first rule that matches; an attribute without a rule is input. */
const opikRules: readonly (readonly [rule: RegExp, outcome: string])[] = [
  [/^gen_ai\.(?:request|response)\.model$/, "model"],
  [/^gen_ai\.(?:request\.temperature|response\.id|response\.finish_reasons)$/, "metadata"],
  [/^gen_ai\.(?:system|provider\.name)$/, "provider"],
  [/^gen_ai\.usage\.cost$/, "cost"],
  [/^gen_ai\.usage\./, "usage"],
  [/^gen_ai\.(?:input\.|system_instructions$)/, "input"],
  [/^gen_ai\.output\./, "output"],
  [/^gen_ai\.(?:cost|tool|agent)\./, "metadata"],
  [/^gen_ai\.request\./, "input"],
  [/^gen_ai\.response/, "output"],
  [/^gen_ai\.operation\.name$/, "metadata"],
  [/^gen_ai\.conversation\.id$/, "thread"],
  [/^input/, "input"],
  [/^output/, "output"],
  [/^(?:error|exception)\.(?:type|message|stacktrace)$/, "metadata"],
  [/^opik\.tags$/, "tags"],
  [/^opik\.metadata/, "metadata"]
]

const opik = (span: ReceivedSpan): Shown => {
  const found: Record<string, Record<string, unknown>> = {}
  for (const [key, value] of Object.entries(span.attributes)) {
    const outcome = opikRules.find(([rule]) => rule.test(key))?.[1] ?? "input"
    const bucket = (found[outcome] ??= {})
    // A usage that is no whole number is no usage.
    if (outcome !== "usage" || Number.isInteger(value)) bucket[key] = parsed(value)
  }
  const usage = found["usage"] ?? {}
  const exception = exceptionOf(span)
  const body = (bucket: Values | undefined, ...names: readonly string[]) =>
    names.map((name) => bucket?.[name]).find((value) => value !== undefined)
  return {
    isError: exception !== undefined || span.status.code === 2,
    error: asText(exception?.["exception.message"]) ?? asText(span.status.message),
    cost: found["cost"]?.["gen_ai.usage.cost"],
    tokens: {
      input: usage["gen_ai.usage.input_tokens"],
      output: usage["gen_ai.usage.output_tokens"],
      cached: usage["gen_ai.usage.cache_read.input_tokens"],
      reasoning: usage["gen_ai.usage.reasoning.output_tokens"]
    },
    tags: (found["tags"]?.["opik.tags"] ?? []) as readonly string[],
    input: body(found["input"], "gen_ai.input.messages", "input"),
    output: body(found["output"], "gen_ai.output.messages", "output"),
    metadata: withoutPrefix(found["metadata"] ?? {}, "opik.metadata.trace.metadata.")
  }
}

/** `otel_to_sentry_v2.rs` drops events, lists and the message of the status; `ai.rs` and the costs page name the attributes. */
const sentry = (span: ReceivedSpan): Shown => {
  const { attributes, status } = span
  const kept = Object.fromEntries(Object.entries(attributes).filter(([, value]) => !Array.isArray(value)))
  const cost = kept["gen_ai.cost.total_tokens"]
  return {
    isError: status.code === 2,
    error: asText(kept["error.type"]),
    cost: typeof cost === "number" ? cost : undefined,
    tokens: {
      input: kept["gen_ai.usage.input_tokens"],
      output: kept["gen_ai.usage.output_tokens"],
      cached: kept["gen_ai.usage.input_tokens.cached"],
      reasoning: kept["gen_ai.usage.output_tokens.reasoning"]
    },
    tags: [],
    input: parsed(kept["gen_ai.input.messages"]),
    output: parsed(kept["gen_ai.output.messages"]),
    metadata: withoutPrefix(kept, "trace.metadata.")
  }
}

const at = (values: Values, path: string): unknown =>
  path.split(".").reduce<unknown>((value, part) => valuesOf(value)[part], values)

/** `constants.py` (names), `python_spans.py` (`to_call`). */
const weave = (span: ReceivedSpan): Shown => {
  const attributes = nestedAttributes(span.attributes)
  const { tags = [], ...metadata } = valuesOf(at(attributes, "wandb.attributes"))
  return {
    isError: span.status.code === 2,
    error: span.status.code === 2 ? span.status.message : undefined,
    cost: undefined,
    tokens: {
      input: at(attributes, "gen_ai.usage.input_tokens"),
      output: at(attributes, "gen_ai.usage.output_tokens"),
      cached: undefined,
      reasoning: undefined
    },
    tags: tags as readonly string[],
    input: at(attributes, "gen_ai.input.messages"),
    output: at(attributes, "gen_ai.output.messages"),
    metadata
  }
}

/** `OtelIngestionProcessor.ts`: `extractGenericGenAiUsageDetails`, `extractCostDetails`, `extractTags`, `extractInputAndOutput`. */
const langfuse = (span: ReceivedSpan): Shown => {
  const { attributes, status } = span
  return {
    isError: attributes["langfuse.observation.level"] === "ERROR" || status.code === 2,
    error: asText(attributes["langfuse.observation.status_message"]) ?? asText(status.message),
    cost: valuesOf(parsed(attributes["langfuse.observation.cost_details"]))["total"],
    tokens: {
      input: attributes["gen_ai.usage.input_tokens"],
      output: attributes["gen_ai.usage.output_tokens"],
      cached: attributes["gen_ai.usage.cache_read.input_tokens"],
      reasoning: attributes["gen_ai.usage.reasoning.output_tokens"]
    },
    tags: (attributes["langfuse.trace.tags"] ?? []) as readonly string[],
    input: parsed(attributes["gen_ai.input.messages"]),
    output: parsed(attributes["gen_ai.output.messages"]),
    metadata: withoutPrefix(attributes, "langfuse.trace.metadata.")
  }
}

/** Phoenix' `otel.py` decodes the same names of OpenInference that Arize AX takes. */
const arize = (span: ReceivedSpan): Shown => {
  const { attributes, status } = span
  return {
    isError: status.code === 2,
    error: asText(exceptionOf(span)?.["exception.message"]),
    cost: attributes["llm.cost.total"],
    tokens: {
      input: attributes["llm.token_count.prompt"],
      output: attributes["llm.token_count.completion"],
      cached: attributes["llm.token_count.prompt_details.cache_read"],
      reasoning: attributes["llm.token_count.completion_details.reasoning"]
    },
    tags: (attributes["tag.tags"] ?? []) as readonly string[],
    input: parsed(attributes["input.value"]),
    output: parsed(attributes["output.value"]),
    metadata: valuesOf(parsed(attributes["metadata"]))
  }
}

/** By destination type. */
export const platformReaders = { arize, langfuse, langsmith, opik, sentry, weave }
