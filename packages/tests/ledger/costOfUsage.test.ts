import type { UsageQuantities } from "@gatewarden/contract/internal"
import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { costOfUsage } from "../../core/src/ledger/costOfUsage.ts"
import { completionBound, estimateCost, promptBound } from "../../core/src/ledger/estimateCost.ts"
import type { RequestSize } from "../../core/src/request/requestSize.ts"
import { quantitiesOf } from "../../core/src/ledger/endpointPrices.ts"
import { emptySize, pricedEndpoint, sizeOf } from "./sizes.ts"

/** A Saturday. */
const at = (time: string) => new Date(`2026-03-07T${time}:00.000Z`)
const price = (
  pricing: object,
  usage: UsageQuantities,
  size: RequestSize | undefined = emptySize,
  fields: object = {},
  time = "12:00"
) => costOfUsage(pricedEndpoint(pricing, fields), quantitiesOf(usage), at(time), size)
const cost = (fields: object, usage: object, time = "12:00") =>
  price(
    { prompt: "0.000001", completion: "0.000002", ...fields },
    { prompt_tokens: 10, completion_tokens: 5, ...usage },
    emptySize,
    {},
    time
  )?.nanos

describe("what usage costs", () => {
  it("is exact, and rounded up once", () => {
    assert.strictEqual(cost({}, {}), 20_000n)
    assert.strictEqual(cost({ prompt: "0.0000000001", completion: "0" }, { prompt_tokens: 1 }), 1n)
    assert.strictEqual(cost({ prompt: "0.0000000001", completion: "0" }, { prompt_tokens: 11 }), 2n)
    assert.strictEqual(cost({ request: "0.01" }, {}), 10_020_000n)
  })

  it("is the largest amount that can be recorded where it would be above, and never nothing", () => {
    const most = 1_000_000_000_000_000_000n
    assert.strictEqual(cost({ prompt: "1", completion: "0" }, { prompt_tokens: 1_000_000_000 }), most)
    assert.strictEqual(cost({ prompt: "1", completion: "0" }, { prompt_tokens: 1_000_000_001 }), most)
    assert.strictEqual(cost({ prompt: "999999999999999" }, { prompt_tokens: Number.MAX_SAFE_INTEGER }), most)
  })

  it("takes the price of a cache where there is one", () => {
    assert.strictEqual(cost({}, { cached_tokens: 4 }), 20_000n)
    assert.strictEqual(cost({ input_cache_read: "0.0000001" }, { cached_tokens: 4 }), 16_400n)
    assert.strictEqual(cost({ input_cache_read: "0" }, { cached_tokens: 400 }), 10_000n)
    assert.strictEqual(
      cost({ input_cache_read: "0.0000001" }, { prompt_tokens_details: { cached_tokens: 4 }, cached_tokens: 1 }),
      16_400n
    )
  })

  it("takes the price of writing to a cache where there is one, for what was not read from it", () => {
    const write = { input_cache_write: "0.00001", input_cache_read: "0" }
    assert.strictEqual(cost({}, { cache_write_tokens: 4 }), 20_000n)
    assert.strictEqual(cost(write, { cache_write_tokens: 4 }), 56_000n)
    assert.strictEqual(cost(write, { cached_tokens: 5, cache_write_tokens: 4 }), 51_000n)
    assert.strictEqual(cost(write, { cached_tokens: 8, cache_write_tokens: 400 }), 30_000n)
    const overrides = [{ input_cache_write: "0.0001" }]
    assert.strictEqual(cost({ ...write, overrides }, { cache_write_tokens: 1 }), 119_000n)
    const hour = { ...write, input_cache_write_1h: "0.00002" }
    const details = { cache_write_tokens: 4, cache_write_1h_tokens: 1 }
    assert.strictEqual(cost(hour, { prompt_tokens_details: details }), 66_000n)
  })

  it("takes the prices of audio, images, reasoning, searches and other tools", () => {
    const audio = { audio: "0.00001", input_audio_cache: "0.000004", audio_output: "0.00002" }
    assert.strictEqual(cost(audio, { prompt_tokens_details: { audio_tokens: 2 } }), 38_000n)
    assert.strictEqual(cost(audio, { prompt_tokens_details: { audio_tokens: 2, cached_audio_tokens: 1 } }), 32_000n)
    assert.strictEqual(cost(audio, { completion_tokens_details: { audio_tokens: 1 } }), 38_000n)
    assert.strictEqual(cost({ internal_reasoning: "0.00001" }, { reasoning_tokens: 2 }), 36_000n)
    assert.strictEqual(
      cost({ internal_reasoning: "0.00001" }, { completion_tokens_details: { reasoning_tokens: 2 } }),
      36_000n
    )
    const made = { completion_tokens_details: { image_tokens: 2, reasoning_tokens: 0 } }
    assert.strictEqual(cost({ image_output: "0.00001" }, made), 36_000n)
    assert.strictEqual(cost({ image: "0.05" }, { images: 10 }), 500_020_000n)
    assert.strictEqual(cost({ image: "0.05" }, { images: 1, prompt_tokens_details: { image_tokens: 4 } }), 50_016_000n)
    const pictured = { prompt_tokens: 10, completion_tokens: 5, prompt_tokens_details: { image_tokens: 2 } }
    const image_token = { prompt: "0.000001", completion: "0.000002", image_token: "0.00001" }
    assert.strictEqual(price(image_token, pictured, { ...emptySize, images: 1 })?.nanos, 38_000n)
    assert.strictEqual(price(image_token, pictured, undefined)?.nanos, 20_000n)
    assert.strictEqual(cost({ web_search: "0.01" }, { server_tool_use: { web_search_requests: 3 } }), 30_020_000n)
    assert.strictEqual(cost({ request: "0.01" }, { requests: 3 }), 30_020_000n)
    const tool = "openrouter:web_fetch"
    const fetched = price({}, { prompt_tokens: 0, completion_tokens: 0, server_tool_use: { [tool]: 2 } }, emptySize, {
      server_tool_prices: { [tool]: "0.001" }
    })
    assert.strictEqual(fetched?.nanos, 2_000_000n)
  })

  it("charges uses of a tool once, whichever of its names the request, the provider and the catalog have", () => {
    const prices = { server_tool_prices: { "openrouter:web_fetch": "0.003", "web-fetch": "0.001", web_search: "1" } }
    const declared = [
      { field: "plugins.0", name: "web-fetch", most: 2 },
      { field: "tools.0", name: "openrouter:web_fetch", most: 1 }
    ]
    const fetched = (server_tools: RequestSize["server_tools"], server_tool_use: Record<string, number>) =>
      price({}, { prompt_tokens: 0, completion_tokens: 0, server_tool_use }, { ...emptySize, server_tools }, prices)
        ?.nanos
    assert.strictEqual(fetched(declared.slice(0, 1), { "openrouter:web_fetch": 2 }), 2_000_000n)
    assert.strictEqual(fetched(declared.slice(0, 1), { "openrouter:web_fetch": 2, "web-fetch": 1 }), 3_000_000n)
    assert.strictEqual(fetched(declared.slice(0, 1), {}), 2_000_000n)
    assert.strictEqual(fetched(declared, { web_fetch_20250910: 2 }), 4_000_000n)
    assert.strictEqual(fetched(declared, {}), 5_000_000n)
    assert.strictEqual(fetched([], { "web-fetch": 1 }), 3_000_000n)
    assert.strictEqual(fetched([], { web_search_requests: 1, web_search: 1 }), 0n)
  })

  it("counts as completion what only a total or the reasoning has", () => {
    assert.strictEqual(cost({}, { total_tokens: 18 }), 26_000n)
    assert.strictEqual(cost({}, { total_tokens: 14 }), 20_000n)
    assert.strictEqual(cost({}, { total_tokens: 18, prompt_tokens: 20 }), 30_000n)
    assert.strictEqual(cost({}, { reasoning_tokens: 8 }), 26_000n)
    const reasoning = { internal_reasoning: "0.00001" }
    assert.strictEqual(cost(reasoning, { reasoning_tokens: 8, total_tokens: 18 }), 90_000n)
    assert.strictEqual(
      cost(reasoning, { completion_tokens_details: { reasoning_tokens: 3 }, total_tokens: 18 }),
      50_000n
    )
  })

  it("follows overrides whose conditions hold", () => {
    const long = { overrides: [{ min_prompt_tokens: 10, prompt: "0.00001" }] }
    assert.strictEqual(cost(long, {}), 20_000n)
    assert.strictEqual(cost(long, { prompt_tokens: 11 }), 120_000n)
    const nights = { overrides: [{ utc_start: 2200, utc_end: 600, completion: "0" }] }
    assert.deepEqual(
      ["21:59", "22:00", "00:00", "05:59", "06:00"].map((time) => cost(nights, {}, time)),
      [20_000n, 10_000n, 10_000n, 10_000n, 20_000n]
    )
    const hours = { overrides: [{ utc_start: 900, utc_end: 2330, completion: "0" }] }
    assert.deepEqual(
      ["08:59", "09:00", "23:29", "23:30"].map((time) => cost(hours, {}, time)),
      [20_000n, 10_000n, 10_000n, 20_000n]
    )
    assert.strictEqual(cost({ overrides: [{ utc_days: ["saturday"], completion: "0" }] }, {}), 10_000n)
    assert.strictEqual(cost({ overrides: [{ utc_days: ["sunday"], completion: "0" }] }, {}), 20_000n)
  })

  it("lets the last override that names a price count, and leaves the others as they are", () => {
    const overrides = [
      { prompt: "0.00001", input_cache_read: "0.0000001" },
      { completion: "0.00002" },
      { prompt: "0.00003", completion: null }
    ]
    assert.strictEqual(cost({ overrides }, {}), 400_000n)
    assert.strictEqual(cost({ overrides }, { cached_tokens: 10 }), 101_000n)
  })

  it("is not known where a price is not", () => {
    assert.isUndefined(cost({ prompt: "-1" }, {}))
    assert.isUndefined(cost({ overrides: [{ completion: "-1" }] }, {}))
  })
})

describe("what was not reported", () => {
  const text = { role: "user", content: "a".repeat(970) }
  const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } }

  it("is charged at what was held for it: the prompt of a stream that broke off, and what came through", () => {
    const pricing = { prompt: "0.000001", input_cache_write: "0.00001", completion: "0.000002" }
    const size = sizeOf({ messages: [text] }, 0, 1000)
    assert.strictEqual(size.text_bytes, 1_000)
    assert.strictEqual(price(pricing, { completion_tokens: 5 }, size)?.nanos, 10_010_000n)
    assert.strictEqual(price(pricing, { completion_bytes: 20 }, size)?.nanos, 10_040_000n)
    assert.strictEqual(price(pricing, { completion_bytes: 20_000 }, size)?.nanos, 12_000_000n)
    assert.strictEqual(price(pricing, {}, size)?.nanos, estimateCost(pricedEndpoint(pricing), size))
  })

  it("is charged at what was held for it: images, searches, requests", () => {
    const tokens = { prompt_tokens: 0, completion_tokens: 0 }
    const images = sizeOf({ messages: [{ role: "user", content: Array.from({ length: 10 }, () => image) }] })
    assert.strictEqual(price({ image: "0.05" }, tokens, images)?.nanos, 500_000_000n)
    assert.strictEqual(price({ image: "0.05" }, { ...tokens, images: 0 }, images)?.nanos, 0n)
    const search = sizeOf({ messages: [], tools: [{ type: "openrouter:web_search", max_uses: 3 }] })
    assert.strictEqual(price({ web_search: "0.01" }, tokens, search)?.nanos, 30_000_000n)
    assert.strictEqual(
      price({ web_search: "0.01" }, { ...tokens, server_tool_use: { web_search_requests: 1 } }, search)?.nanos,
      10_000_000n
    )
    assert.strictEqual(price({ web_search: "0.01" }, tokens, { ...search, choices: 2 })?.nanos, 60_000_000n)
    assert.strictEqual(price({ request: "0.01" }, tokens, sizeOf({ messages: [], n: 2 }))?.nanos, 20_000_000n)
  })

  it("is charged once: an image that has a price of its own, whose tokens the provider did not tell apart", () => {
    const pricing = { prompt: "0.000003", completion: "0", image: "0.0048", input_cache_read: "0.000001" }
    const size = sizeOf({ messages: [{ role: "user", content: [image, image] }] })
    const bytes = size.text_bytes ?? 0
    const cents = (usage: UsageQuantities, of: RequestSize | undefined = size, prices: object = pricing) =>
      price(prices, { completion_tokens: 0, ...usage }, of)?.nanos
    assert.isBelow(bytes, 3_210)
    assert.strictEqual(cents({ prompt_tokens: 3_210 }), 9_600_000n + 3_000n * BigInt(bytes))
    assert.strictEqual(cents({ prompt_tokens: 10 }), 9_630_000n)
    // Those that are left are the dearest.
    assert.strictEqual(
      cents({ prompt_tokens: 3_210, cached_tokens: 3_200 }),
      9_600_000n + 20_000n + 1_000n * BigInt(bytes)
    )
    const told = { prompt_tokens_details: { image_tokens: 3_200 } }
    assert.strictEqual(cents({ prompt_tokens: 3_210, ...told }), 9_630_000n)
    // Only what is no token of an image is charged, whatever else the provider counts.
    const details = (counts: object) => cents({ prompt_tokens: 3_210, prompt_tokens_details: counts })
    assert.strictEqual(details({ image_tokens: 3_200, cached_tokens: 3_200 }), 9_630_000n)
    assert.strictEqual(details({ image_tokens: 3_200, cache_write_tokens: 3_200 }), 9_630_000n)
    assert.strictEqual(details({ image_tokens: 0 }), 9_600_000n + 3_000n * BigInt(bytes))
    assert.strictEqual(details({ image_tokens: 9_999 }), 9_600_000n)
    // Nothing is free where no image is paid for, or where nobody knows what was held.
    assert.strictEqual(cents({ prompt_tokens: 3_210, ...told }, emptySize), 9_630_000n)
    assert.strictEqual(cents({ prompt_tokens: 3_210, images: 0 }), 9_630_000n)
    assert.strictEqual(cents({ prompt_tokens: 3_210 }, emptySize), 9_630_000n)
    assert.strictEqual(cents({ prompt_tokens: 3_210 }, size, { ...pricing, image: "0" }), 9_630_000n)
    const unknown = costOfUsage(
      pricedEndpoint(pricing),
      quantitiesOf({ prompt_tokens: 3_210, completion_tokens: 0, images: 2 }),
      at("12:00"),
      undefined
    )
    assert.strictEqual(unknown?.nanos, 19_230_000n)
  })

  it("is charged at its price where the request can have used it, and only there", () => {
    const tokens = { prompt_tokens: 10, completion_tokens: 10 }
    const spoken = { prompt: "0.000001", completion: "0", audio: "0.00001" }
    assert.strictEqual(price(spoken, tokens)?.nanos, 10_000n)
    const audio = sizeOf({ messages: [{ role: "user", content: [{ type: "input_audio" }] }] })
    assert.strictEqual(price(spoken, tokens, audio)?.nanos, 100_000n)
    assert.strictEqual(price(spoken, { ...tokens, prompt_tokens_details: { audio_tokens: 1 } }, audio)?.nanos, 19_000n)
    const writing = { prompt: "0.000001", completion: "0", input_cache_write: "0.00001" }
    assert.strictEqual(price(writing, tokens)?.nanos, 10_000n)
    assert.strictEqual(price(writing, tokens, emptySize, { supports_implicit_caching: true })?.nanos, 100_000n)
    const thinking = { prompt: "0", completion: "0.000001", internal_reasoning: "0.00001" }
    assert.strictEqual(price(thinking, tokens)?.nanos, 100_000n)
    assert.strictEqual(price(thinking, { ...tokens, reasoning_tokens: 0 })?.nanos, 10_000n)
  })

  it("is missing from the sum where nobody knows what was held", () => {
    const tokens = { prompt_tokens: 10, completion_tokens: 10 }
    const plain = { prompt: "0.000001", completion: "0.000001" }
    const without = (pricing: object, usage: object) =>
      costOfUsage(pricedEndpoint(pricing), quantitiesOf(usage), at("12:00"), undefined)
    assert.deepEqual(without(plain, tokens), { nanos: 20_000n, isWhole: true })
    for (const dear of [{ image: "1" }, { internal_reasoning: "1" }, { input_cache_write: "1" }, { web_search: "1" }])
      assert.deepEqual(without({ ...plain, ...dear }, tokens), { nanos: 20_000n, isWhole: false })
    assert.deepEqual(without(plain, { completion_tokens: 10 }), { nanos: 10_000n, isWhole: false })
  })
})

const somePrice = fc.integer({ min: 0, max: 999 }).map((digits) => `0.000${String(digits).padStart(3, "0")}`)
const tokens = fc.integer({ min: 0, max: 100_000 })
const some = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { nil: undefined })

const tokenFields = [
  "prompt",
  "completion",
  "audio",
  "input_audio_cache",
  "input_cache_read",
  "input_cache_write",
  "input_cache_write_1h"
]
const otherFields = [
  "request",
  "image",
  "audio_output",
  "image_output",
  "image_token",
  "internal_reasoning",
  "web_search"
]
const pricesOf = (fields: readonly string[]) =>
  fc.record(Object.fromEntries(fields.map((field) => [field, somePrice])), { requiredKeys: [] })
const override = fc
  .tuple(
    pricesOf(tokenFields),
    fc.record(
      { min_prompt_tokens: tokens, utc_start: fc.constantFrom(0, 900), utc_end: fc.constantFrom(600, 2400) },
      { requiredKeys: [] }
    )
  )
  .map(([prices, conditions]) => ({ ...prices, ...conditions }))
const endpoint = fc
  .record({
    prompt: somePrice,
    completion: somePrice,
    others: pricesOf([...tokenFields, ...otherFields]),
    overrides: fc.array(override, { maxLength: 3 }),
    caching: fc.boolean(),
    cap: fc.option(fc.integer({ min: 1, max: 100_000 })),
    context: tokens,
    fetching: somePrice,
    dearer: somePrice
  })
  .map(({ prompt, completion, others, overrides, caching, cap, context, fetching, dearer }) =>
    pricedEndpoint(
      { prompt, completion, ...others, overrides },
      {
        supports_implicit_caching: caching,
        max_completion_tokens: cap,
        context_length: context,
        server_tool_prices: { fetch: fetching, "openrouter:fetch": dearer, web_search: dearer }
      }
    )
  )

const size: fc.Arbitrary<RequestSize> = fc.record({
  text_bytes: fc.option(tokens),
  images: fc.nat({ max: 20 }),
  opaque_parts: fc.nat({ max: 2 }),
  completion_tokens: tokens,
  prediction_bytes: fc.nat({ max: 100 }),
  choices: fc.integer({ min: 1, max: 4 }),
  server_tools: fc.array(
    fc.record({
      field: fc.constant("tools.0"),
      name: fc.constantFrom("openrouter:web_search", "fetch", "openrouter:fetch"),
      most: fc.nat({ max: 9 })
    }),
    { maxLength: 2 }
  ),
  may: fc.record({
    read_audio: fc.boolean(),
    cache: fc.boolean(),
    cache_1h: fc.boolean(),
    write_audio: fc.boolean(),
    write_images: fc.boolean()
  })
})

/** Shares of the bounds; what is absent is not reported. */
const share = some(fc.double({ min: 0, max: 1, noNaN: true }))
const shares = fc.record({
  read: share,
  written: share,
  bytes: share,
  images: share,
  searches: share,
  fetches: share,
  reported: fc.constantFrom("fetch", "openrouter:fetch", "fetch_20250910"),
  requests: share,
  details: fc.array(some(tokens), { minLength: 9, maxLength: 9 })
})

describe("a hold and its cost", () => {
  it("are in this order: usage within the bounds of a request never costs more than was held for it", () => {
    fc.assert(
      fc.property(endpoint, size, shares, fc.constantFrom("00:00", "08:00"), (offer, asked, used, time) => {
        const part = (of: number | undefined, bound: number) => (of === undefined ? undefined : Math.floor(of * bound))
        const uses = (...names: readonly string[]) =>
          asked.choices *
          asked.server_tools.reduce((sum, { name, most }) => sum + (names.includes(name) ? (most ?? 0) : 0), 0)
        const [cached, stored, hour, spoken, heard, pictured, thought, sung, drawn] = used.details
        // Reasoning beyond the completion counts as completion.
        const reasoning = thought && Math.min(thought, completionBound(offer, asked))
        const usage: UsageQuantities = {
          prompt_tokens: part(used.read, promptBound(offer, asked)),
          completion_tokens: part(used.written, completionBound(offer, asked)),
          completion_bytes: part(used.bytes, 2 * completionBound(offer, asked)),
          images: part(used.images, asked.images),
          requests: part(used.requests, asked.choices),
          server_tool_use: {
            web_search_requests: part(used.searches, uses("openrouter:web_search")),
            [used.reported]: part(used.fetches, uses("fetch", "openrouter:fetch"))
          },
          prompt_tokens_details: {
            cached_tokens: cached,
            cache_write_tokens: stored,
            cache_write_1h_tokens: hour,
            audio_tokens: spoken,
            cached_audio_tokens: heard,
            image_tokens: pictured
          },
          completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: sung, image_tokens: drawn }
        }
        const came = costOfUsage(offer, quantitiesOf(usage), at(time), asked)
        assert.isTrue(came?.isWhole)
        assert.isTrue((came?.nanos ?? 0n) <= estimateCost(offer, asked))
      }),
      { numRuns: 1_000 }
    )
  })

  it("are in this order for images that have a price each, however many tokens of them the provider counts", () => {
    fc.assert(
      fc.property(
        endpoint,
        size,
        fc.integer({ min: 1, max: 20 }),
        fc.array(some(tokens), { minLength: 6, maxLength: 6 }),
        fc.nat({ max: 1_000_000 }),
        fc.record(Object.fromEntries(tokenFields.map((field) => [field, somePrice]))),
        (offer, asked, images, details, prompt_tokens, listed) => {
          const { image_token: _, ...pricing } = offer.pricing
          const priced = { ...offer, pricing: { ...pricing, ...listed, image: "0.0048" } }
          const sized = { ...asked, images }
          const [cached_tokens, cache_write_tokens, cache_write_1h_tokens, audio_tokens, cached_audio_tokens] = details
          const image_tokens = details[5]
          const usage: UsageQuantities = {
            prompt_tokens,
            completion_tokens: 0,
            prompt_tokens_details: {
              cached_tokens,
              cache_write_tokens,
              cache_write_1h_tokens,
              audio_tokens,
              cached_audio_tokens,
              image_tokens
            }
          }
          const came = costOfUsage(priced, quantitiesOf(usage), at("08:00"), sized)
          assert.isTrue((came?.nanos ?? 0n) <= estimateCost(priced, sized))
        }
      ),
      { numRuns: 1_000 }
    )
  })

  it("hang on the same prices: each that raises a hold raises the cost of some usage", () => {
    const asked: RequestSize = {
      ...emptySize,
      text_bytes: 100,
      images: 2,
      completion_tokens: 100,
      server_tools: [
        { field: "tools.0", name: "web_search", most: 1 },
        { field: "tools.1", name: "fetch", most: 1 }
      ]
    }
    const low = "0.000001"
    const high = "0.001"
    const details = [
      "cached_tokens",
      "cache_write_tokens",
      "cache_write_1h_tokens",
      "audio_tokens",
      "cached_audio_tokens",
      "image_tokens"
    ]
    const usages: readonly UsageQuantities[] = [
      {},
      ...details.map((name) => ({ prompt_tokens_details: { [name]: 100 } })),
      ...["reasoning_tokens", "audio_tokens", "image_tokens"].map((name) => ({
        completion_tokens_details: { [name]: 100 }
      }))
    ].map((usage) => ({
      prompt_tokens: 100,
      completion_tokens: 100,
      images: 2,
      requests: 1,
      server_tool_use: { web_search_requests: 1, fetch: 1 },
      ...usage
    }))
    const holdOf = (pricing: object, fields: object = {}) => estimateCost(pricedEndpoint(pricing, fields), asked)
    const raises = (name: string, before: object, after: object, fields: readonly [object, object] = [{}, {}]) => {
      assert.isTrue(holdOf(after, fields[1]) > holdOf(before, fields[0]), `${name} raises the hold`)
      assert.isTrue(
        usages.some((usage) => {
          const [less, most] = [price(before, usage, asked, fields[0]), price(after, usage, asked, fields[1])]
          return (most?.nanos ?? 0n) > (less?.nanos ?? 0n)
        }),
        `${name} raises a cost`
      )
    }
    const base = { prompt: low, completion: low, web_search: "0" }
    for (const field of [...tokenFields, ...otherFields]) raises(field, base, { ...base, [field]: high })
    for (const field of tokenFields)
      raises(`override of ${field}`, base, { ...base, overrides: [{ min_prompt_tokens: 1, [field]: high }] })
    raises("a server tool", base, base, [
      { server_tool_prices: { fetch: low } },
      { server_tool_prices: { fetch: high } }
    ])
  })
})
