/** Models and usage events with few names, so that they meet: in catalogs, rankings, statistics and queries. */
import * as fc from "fast-check"
import { members } from "../arbitraries/fromJsonSchema.ts"
import { moment, phrase, some } from "../modelBased/Thing.ts"

const hour = 3_600_000
const day = 24 * hour

export const modelSlugs = ["sonnet", "sonnet-1", "haiku", "other"] as const
export const authors = ["acme", "zeta"] as const
const variants = ["", "", "", ":free", ":beta"] as const

export const modelNames = fc
  .tuple(fc.constantFrom(...authors), fc.constantFrom(...modelSlugs), fc.constantFrom(...variants))
  .map(([author, slug, variant]) => `${author}/${slug}${variant}`)

export const providers = fc.constantFrom("acme", "zeta", "Ünïcode")
export const endpointTags = fc.constantFrom("acme/fp8", "acme", "zeta/int4")

const tokens = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 3000 }) },
  { weight: 2, arbitrary: fc.constantFrom(0, 1000, 1001, 10_000, 10_001, 100_000, 1_000_000, 1_000_001) },
  { weight: 1, arbitrary: fc.constantFrom(Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER - 1) }
)

const amounts = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 0, max: 5_000_000 }).map((micros) => (micros / 1e6).toFixed(6)) },
  {
    weight: 2,
    arbitrary: fc.constantFrom<string | number>("0", 0, "0.000000001", 1e-9, 12.5, "1000000000", 1e9)
  }
)

const when = fc.oneof(
  { weight: 6, arbitrary: moment(-20 * 60_000, 0) },
  { weight: 6, arbitrary: moment(-9 * day, 0) },
  { weight: 4, arbitrary: moment(-45 * day, -day) },
  // Around the five minutes that an event may lie ahead.
  { weight: 1, arbitrary: moment(299_000, 300_001) }
)

const modalities = fc.subarray(["text", "image", "audio", "file"])
const durations = fc.oneof(fc.integer({ min: 0, max: 4000 }), fc.constantFrom(0, 0.1, 1 / 3, 1e9))
const names = (...values: readonly string[]) => fc.constantFrom(...values, "", "é")
const tag = fc.oneof(
  fc.constantFrom<string | number | boolean>("a", "b", "code:general_impl", "", 1, 2.5, true),
  fc.string({ maxLength: 3 })
)

/** Everything of an event but its id. */
const eventFields = {
  created_at: when,
  model: modelNames,
  provider: providers,
  api_key_hash: fc.oneof(some("key", "hash"), fc.constantFrom("unknown-key")),
  workspace_id: some("workspace"),
  user_id: names("user-1", "user-2"),
  external_user: names("eve"),
  app: names("app"),
  origin: names("https://a.example", "http://www.b.example/x", "https://localhost"),
  app_categories: fc.subarray(["cli-agent", "game", "unheard-of"]),
  session_id: names("one", "two"),
  country: names("DE", "US"),
  endpoint_tag: endpointTags,
  prompt_tokens: tokens,
  completion_tokens: tokens,
  reasoning_tokens: tokens,
  cached_tokens: tokens,
  cache_write_tokens: tokens,
  tool_calls: fc.constantFrom(0, 1, 5),
  cost_usd: amounts,
  byok: fc.boolean(),
  byok_cost_usd: amounts,
  cost_components: fc.record({ usage_web: amounts, byok_fees: amounts }, { requiredKeys: [] }),
  status: fc.constantFrom("ok", "ok", "ok", "error", "rate_limited", "cancelled", "blocked"),
  finish_reason: names("stop", "length"),
  latency_ms: durations,
  generation_ms: durations,
  input_modalities: modalities,
  output_modalities: modalities,
  category: fc.constantFrom("programming", "marketing", "marketing/seo"),
  language_type: fc.constantFrom("natural", "programming"),
  sample_weight: fc.constantFrom(1, 0.5, 2.25, 1e-9, 1000),
  classifiers: fc.dictionary(
    fc.constantFrom("topic", "mood", "task"),
    fc.dictionary(fc.constantFrom("kind", "tone", "tag"), tag, { maxKeys: 2 }),
    {
      maxKeys: 2
    }
  ),
  guardrail_invoked: fc.boolean(),
  guardrail_id: fc.option(fc.uuid(), { nil: null }),
  response_cached: fc.boolean()
}

const eventRequired = ["created_at", "model", "provider", "prompt_tokens", "completion_tokens", "cost_usd"]

export const usageReports = members(eventFields, eventRequired)

/** Some fields far oftener than the declaration would have them, and ids that come twice. */
export const usageEvents = fc
  .tuple(
    fc.nat({ max: 40 }),
    members(eventFields, [...eventRequired, "status", "latency_ms", "generation_ms", "output_modalities"]),
    members(eventFields, eventRequired)
  )
  .map(([id, rich, plain]) => ({ ...plain, ...(id % 3 === 0 ? {} : rich), id: `gen-${id}` }))

export const usageBatches = fc.record({ events: fc.array(usageEvents, { minLength: 1, maxLength: 6, size: "max" }) })

/** A text that no earlier run of the same store has used. */
export const ownText = (text: string) => phrase(fc.constant(text), some("account"))
