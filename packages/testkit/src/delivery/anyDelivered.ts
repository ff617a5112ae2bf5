/** Events as a destination may receive them: every field present or absent, names that are awkward to quote, bodies in the formats of the APIs. */
import * as fc from "fast-check"
import { emptyEvent } from "@gatewarden/conformance/internal/usage/emptyEvent"
import type { DeliveredEventFixture } from "./deliveredEvent.ts"

/** Texts that break out of quotes, paths, lists and headers where they are not escaped. */
export const awkwardText = fc.oneof(
  fc.string({ minLength: 1, maxLength: 40, unit: "binary" }),
  fc.string({
    minLength: 1,
    maxLength: 20,
    unit: fc.constantFrom(
      "'",
      '"',
      "`",
      "\\",
      "/",
      "..",
      "{prefix}",
      "{date}",
      "\n",
      "\u0000",
      "\ud800",
      "\udc00",
      "ü",
      "😀",
      "%2e",
      "?",
      "#",
      ",",
      ";",
      "--"
    )
  }),
  fc.constantFrom("../../etc/passwd", "a/../b", ".", "..", "null", "\\ud800", "__proto__")
)

const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })

const count = fc.oneof(fc.nat(100_000), fc.constant(Number.MAX_SAFE_INTEGER))

const nanos = fc.bigInt({ min: 0n, max: 10n ** 18n })

const messages = fc.array(
  fc.record({ role: fc.constantFrom("system", "user", "assistant", "tool"), content: awkwardText }),
  {
    maxLength: 3
  }
)

const input = fc.oneof(
  messages,
  fc.record({ messages, temperature: fc.double({ noNaN: true, min: 0, max: 2 }), max_tokens: fc.nat() }),
  fc.record({ prompt: awkwardText }),
  awkwardText,
  fc.jsonValue({ maxDepth: 3 })
)

const output = fc.oneof(
  fc.array(
    fc.record({
      message: fc.record({ role: fc.constant("assistant"), content: awkwardText }),
      finish_reason: fc.constant("stop")
    })
  ),
  fc.record({
    choices: fc.array(fc.record({ message: fc.record({ role: fc.constant("assistant"), content: awkwardText }) }))
  }),
  fc.jsonValue({ maxDepth: 3 })
)

const trace = fc.oneof(
  fc.dictionary(awkwardText, fc.jsonValue({ maxDepth: 4 }), { maxKeys: 4 }),
  fc.record(
    {
      trace_id: fc.oneof(awkwardText, fc.stringMatching(/^[0-9a-f]{32}$/)),
      trace_name: awkwardText,
      span_name: awkwardText,
      generation_name: awkwardText,
      parent_span_id: fc.oneof(awkwardText, fc.stringMatching(/^[0-9a-f]{16}$/)),
      team: fc.jsonValue()
    },
    { requiredKeys: [] }
  )
)

const event = fc.record({
  model: awkwardText,
  variant: fc.constantFrom("", "free"),
  provider: awkwardText,
  created_at: fc
    .integer({ min: Date.UTC(2025, 0, 1), max: Date.UTC(2100, 0, 1) })
    .map((instant) => new Date(instant).toISOString()),
  external_user: orNull(awkwardText),
  user_id: orNull(awkwardText),
  session_id: orNull(awkwardText),
  api_key_hash: orNull(fc.stringMatching(/^[0-9a-f]{64}$/)),
  app: orNull(awkwardText),
  origin: orNull(awkwardText),
  country: orNull(fc.constant("DE")),
  status: fc.constantFrom(
    "ok" as const,
    "error" as const,
    "rate_limited" as const,
    "cancelled" as const,
    "blocked" as const
  ),
  finish_reason: orNull(awkwardText),
  prompt_tokens: fc.nat(),
  completion_tokens: fc.nat(),
  reasoning_tokens: count,
  cached_tokens: count,
  cache_write_tokens: count,
  cost_nanos: nanos,
  byok_cost_nanos: nanos,
  latency_ms: orNull(fc.double({ noNaN: true, min: 0, max: 1e9 })),
  generation_ms: orNull(fc.double({ noNaN: true, min: 0, max: 1e9 })),
  classifiers: orNull(
    fc.dictionary(awkwardText, fc.dictionary(awkwardText, awkwardText, { maxKeys: 2 }), { maxKeys: 2 })
  ),
  trace: orNull(trace)
})

export const anyDelivered: fc.Arbitrary<DeliveredEventFixture> = fc
  .record({
    account_id: fc.uuid(),
    id: awkwardText,
    event,
    api_key_name: orNull(awkwardText),
    input: fc.option(input, { nil: undefined }),
    output: fc.option(output, { nil: undefined })
  })
  .map(({ id, event: own, ...delivered }) => ({
    ...delivered,
    event: { ...emptyEvent, ...own, id, recorded_at: own.created_at }
  }))

/** Of one account, with ids of their own. */
export const anyBatch: fc.Arbitrary<readonly DeliveredEventFixture[]> = fc
  .array(anyDelivered, { minLength: 1, maxLength: 8 })
  .map((batch) =>
    batch.map((one, index) => ({
      ...one,
      account_id: batch[0]?.account_id ?? one.account_id,
      event: { ...one.event, id: `${one.event.id}-${index}` }
    }))
  )

export const anyIncluded = fc.record({ cost: fc.boolean(), identity: fc.boolean(), request_context: fc.boolean() })
