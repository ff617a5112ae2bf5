/** Requests of every kind that can be recorded, the strange ones too. */
import { costComponents, UsageCategory, UsageStatus } from "@gatewarden/contract/internal"
import * as fc from "fast-check"
import { usageEvent } from "@gatewarden/testkit/delivery/deliveredEvent"
import type { DeliveredEvent, IncludedMetadata } from "../../core/src/delivery/rendering/Renderer.ts"

/** Texts with half surrogate pairs, control characters and U+0000 too. */
const anyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.string({ maxLength: 40 }),
  fc.constantFrom("\ud800", "a\udc00b", "\u0000", "\r\nx-other: 1", "__proto__", "")
)
const optional = <A>(of: fc.Arbitrary<A>) => fc.option(of, { nil: null })
const count = fc.oneof(fc.nat(), fc.constant(Number.MAX_SAFE_INTEGER))
const duration = fc.oneof(fc.double({ min: 0, max: 1e6, noNaN: true }), fc.constant(Number.MAX_SAFE_INTEGER))
const nanos = fc.bigInt({ min: 0n, max: 1_000_000_000n * 1_000_000_000n })

const hex = (length: number) =>
  fc.string({ unit: fc.constantFrom(..."0123456789abcdefABCDEF"), minLength: length, maxLength: length })

const trace = fc
  .tuple(
    fc.dictionary(
      fc.oneof(anyText, fc.constantFrom("environment", "release", "session_id")),
      fc.jsonValue({ maxDepth: 3 }),
      { maxKeys: 5 }
    ),
    fc.record(
      {
        trace_id: fc.oneof(hex(32), anyText, fc.constant("0".repeat(32)), fc.jsonValue({ maxDepth: 1 })),
        trace_name: fc.oneof(anyText, fc.jsonValue({ maxDepth: 1 })),
        span_name: fc.oneof(anyText, fc.string({ minLength: 1100, maxLength: 1200 })),
        generation_name: anyText,
        parent_span_id: fc.oneof(hex(16), anyText, fc.uuid())
      },
      { requiredKeys: [] }
    )
  )
  .map(([others, named]) => ({ ...others, ...named }))

const message = fc.record(
  {
    role: fc.constantFrom("system", "user", "assistant", "tool"),
    content: fc.oneof(
      anyText,
      fc.constant(null),
      fc.array(
        fc.oneof(
          fc.record({
            type: fc.constantFrom("text", "input_text", "thinking", "tool_result", "custom"),
            text: anyText
          }),
          fc.jsonValue({ maxDepth: 2 })
        ),
        { maxLength: 4 }
      )
    ),
    tool_calls: fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.array(
        fc.record({ id: anyText, function: fc.record({ name: anyText, arguments: fc.oneof(anyText, fc.json()) }) }),
        { maxLength: 3 }
      )
    ),
    tool_call_id: anyText
  },
  { requiredKeys: [] }
)

const input = fc.oneof(
  fc.constant(undefined),
  anyText,
  fc.jsonValue({ maxDepth: 4 }),
  fc.array(message, { maxLength: 5 }),
  fc.record(
    {
      messages: fc.array(message, { maxLength: 5 }),
      system: fc.oneof(anyText, fc.jsonValue({ maxDepth: 2 })),
      temperature: fc.oneof(fc.double(), anyText),
      seed: fc.oneof(fc.integer(), fc.double()),
      stop: fc.oneof(anyText, fc.array(anyText), fc.jsonValue({ maxDepth: 2 })),
      tools: fc.jsonValue({ maxDepth: 3 })
    },
    { requiredKeys: [] }
  )
)

const output = fc.oneof(
  fc.constant(undefined),
  fc.jsonValue({ maxDepth: 4 }),
  fc.record({
    choices: fc.array(fc.record({ message, text: anyText, finish_reason: optional(anyText) }, { requiredKeys: [] }), {
      maxLength: 3
    })
  }),
  fc.record({ output: fc.array(message, { maxLength: 3 }) })
)

const fields = fc.record({
  created_at: fc
    .date({ min: new Date(0), max: new Date("9999-12-31T23:59:59.999Z"), noInvalidDate: true })
    .map((date) => date.toISOString()),
  model: fc.string({ minLength: 1, maxLength: 40 }),
  variant: fc.constantFrom("", "free"),
  provider: fc.oneof(anyText, fc.constantFrom("OpenAI", "Amazon Bedrock", "Google AI Studio")),
  endpoint_tag: optional(anyText),
  api_key_hash: optional(anyText),
  user_id: optional(anyText),
  external_user: optional(anyText),
  app: optional(anyText),
  origin: optional(anyText),
  country: optional(anyText),
  session_id: optional(anyText),
  status: fc.constantFrom(...UsageStatus.options),
  finish_reason: optional(anyText),
  byok: fc.boolean(),
  prompt_tokens: count,
  completion_tokens: count,
  cached_tokens: count,
  cache_write_tokens: count,
  reasoning_tokens: count,
  cost_nanos: nanos,
  byok_cost_nanos: nanos,
  cost_components: fc.dictionary(fc.constantFrom(...costComponents), nanos),
  latency_ms: optional(duration),
  generation_ms: optional(duration),
  input_modalities: optional(fc.array(anyText, { maxLength: 100 })),
  output_modalities: optional(fc.array(fc.oneof(anyText, fc.constant("embeddings")), { maxLength: 3 })),
  category: optional(fc.constantFrom(...UsageCategory.options)),
  classifiers: optional(
    fc.dictionary(fc.string({ minLength: 1 }), fc.dictionary(fc.string({ minLength: 1 }), anyText))
  ),
  trace: optional(trace)
})

export const deliveredEvents: fc.Arbitrary<readonly DeliveredEvent[]> = fc
  .array(fc.record({ fields, api_key_name: optional(anyText), input, output }), { minLength: 1, maxLength: 6 })
  .map((list) =>
    list.map(({ fields, ...delivered }, index) => ({
      account_id: "account-1",
      event: usageEvent(`gen-${index}`, fields),
      ...delivered
    }))
  )

export const includedMetadata: fc.Arbitrary<IncludedMetadata> = fc.record({
  cost: fc.boolean(),
  identity: fc.boolean(),
  request_context: fc.boolean()
})
