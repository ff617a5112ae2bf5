/** Which price each kind of tokens and each use of a tool costs, and what is charged where nobody counted. Rule: money#cost-of-usage. */
import type { UsageQuantities } from "@gatewarden/contract/internal"
import { assert, describe, it } from "@effect/vitest"
import { costOfUsage } from "../../core/src/ledger/costOfUsage.ts"
import { quantitiesOf } from "../../core/src/ledger/endpointPrices.ts"
import { estimateCost } from "../../core/src/ledger/estimateCost.ts"
import type { RequestSize } from "../../core/src/request/requestSize.ts"
import { emptySize, pricedEndpoint } from "./sizes.ts"

/** A Saturday. */
const at = (time = "12:00") => new Date(`2026-03-07T${time}:00.000Z`)

/** In nano-dollars a token. */
const price = (nanos: number) => (nanos / 1e9).toFixed(9)

const chargedFor = (
  pricing: object,
  usage: UsageQuantities,
  size: RequestSize | undefined = emptySize,
  fields: object = {}
) => costOfUsage(pricedEndpoint(pricing, fields), quantitiesOf(usage), at(), size)?.nanos

const withoutSize = (pricing: object, usage: UsageQuantities, fields: object = {}) =>
  costOfUsage(pricedEndpoint(pricing, fields), quantitiesOf(usage), at(), undefined)

const may = (kinds: Partial<RequestSize["may"]>): RequestSize => ({ ...emptySize, may: { ...emptySize.may, ...kinds } })

describe("an override", () => {
  const read = (override: object, prompt_tokens: number, time?: string) =>
    costOfUsage(
      pricedEndpoint({ prompt: price(1), overrides: [{ prompt: price(9), ...override }] }),
      quantitiesOf({ prompt_tokens, completion_tokens: 0 }),
      at(time),
      emptySize
    )?.nanos

  it("without a minimum applies to every prompt, and with one to longer prompts", () => {
    assert.strictEqual(read({}, 1), 9n)
    assert.deepEqual(
      [1, 2].map((tokens) => read({ min_prompt_tokens: 1 }, tokens)),
      [1n, 18n]
    )
    assert.strictEqual(read({ min_prompt_tokens: 0 }, 1), 9n)
  })

  it("of no time at all never applies, and of all of the day always does", () => {
    for (const time of ["08:59", "09:00", "09:01"])
      assert.strictEqual(read({ utc_start: 900, utc_end: 900 }, 1, time), 1n, time)
    for (const time of ["00:00", "23:59"]) assert.strictEqual(read({ utc_start: 0, utc_end: 2400 }, 1, time), 9n, time)
  })

  it("applies on each of its days", () => {
    assert.strictEqual(read({ utc_days: ["monday", "saturday"] }, 1), 9n)
    assert.strictEqual(read({ utc_days: ["monday", "friday", "sunday"] }, 1), 1n)
    assert.strictEqual(read({ utc_days: [] }, 1), 1n)
  })
})

describe("tokens of several kinds", () => {
  it("are counted once each: audio from a cache is neither other audio nor other cached text", () => {
    const pricing = {
      prompt: price(100),
      input_cache_read: price(10),
      audio: price(1_000),
      input_audio_cache: price(500)
    }
    const details = { cached_tokens: 4, cached_audio_tokens: 1, audio_tokens: 3 }
    const usage = { prompt_tokens: 10, completion_tokens: 0, prompt_tokens_details: details }
    assert.strictEqual(chargedFor(pricing, usage), 500n + 3n * 10n + 2n * 1_000n + 4n * 100n)
  })

  it("that are written for an hour are some of those that are written, however many are told", () => {
    const pricing = { prompt: price(1), input_cache_write: price(10), input_cache_write_1h: price(100) }
    const written = (details: object) =>
      chargedFor(pricing, { prompt_tokens: 9, completion_tokens: 0, prompt_tokens_details: details })
    assert.strictEqual(written({ cache_write_tokens: 5, cache_write_1h_tokens: 3 }), 300n + 20n + 4n)
    assert.strictEqual(written({ cache_write_tokens: 2, cache_write_1h_tokens: 3 }), 200n + 7n)
    assert.strictEqual(written({ cache_write_1h_tokens: 3 }), 300n + 6n)
  })

  it("that are charged in part are the dearest, in whatever order the kinds are counted", () => {
    const pricing = { prompt: price(3), image: price(1), input_cache_read: price(1), input_cache_write: price(10) }
    const size = { ...emptySize, text_bytes: 20, images: 1 }
    const charged = (details: object) =>
      chargedFor(pricing, { prompt_tokens: 100, completion_tokens: 0, images: 0, prompt_tokens_details: details }, size)
    const paid = (details: object) =>
      chargedFor(pricing, { prompt_tokens: 100, completion_tokens: 0, prompt_tokens_details: details }, size)
    assert.strictEqual(charged({ cached_tokens: 70, cache_write_tokens: 10 }), 70n + 100n + 60n)
    assert.strictEqual(paid({ cached_tokens: 70, cache_write_tokens: 10 }), 1n + 100n + 10n * 3n)
    assert.strictEqual(paid({ cached_tokens: 90, cache_write_tokens: 0 }), 1n + 10n * 3n + 10n)
    assert.strictEqual(paid({ cache_write_tokens: 90 }), 1n + 20n * 10n)
  })

  it("of images are not bounded by a request that had none, whatever the provider counts", () => {
    const pricing = { prompt: price(3), image: price(1) }
    const usage = { prompt_tokens: 100, completion_tokens: 0, images: 2 }
    assert.strictEqual(chargedFor(pricing, usage, { ...emptySize, text_bytes: 20 }), 302n)
    assert.strictEqual(chargedFor(pricing, usage, { ...emptySize, text_bytes: 20, images: 2 }), 62n)
    assert.deepEqual(withoutSize(pricing, usage), { nanos: 302n, isWhole: true })
  })
})

describe("tokens whose kind was not told", () => {
  it("cost the dearest of the kinds that the request can have used", () => {
    const pricing = { prompt: price(1), audio: price(2), input_audio_cache: price(9), image_token: price(7) }
    const usage = { prompt_tokens: 10, completion_tokens: 0 }
    assert.strictEqual(chargedFor(pricing, usage), 10n)
    assert.strictEqual(chargedFor(pricing, usage, may({ read_audio: true })), 20n)
    assert.strictEqual(chargedFor(pricing, usage, may({ read_audio: true, cache: true })), 90n)
    assert.strictEqual(chargedFor(pricing, usage, may({ cache: true })), 10n)
    assert.strictEqual(chargedFor(pricing, usage, { ...emptySize, images: 1 }), 70n)
    assert.strictEqual(
      chargedFor(pricing, { ...usage, prompt_tokens_details: { image_tokens: 2 } }, { ...emptySize, images: 1 }),
      22n
    )
    const written = { completion: price(1), audio_output: price(5), image_output: price(6) }
    const answered = { prompt_tokens: 0, completion_tokens: 10 }
    assert.strictEqual(chargedFor(written, answered), 10n)
    assert.strictEqual(chargedFor(written, answered, may({ write_audio: true })), 50n)
    assert.strictEqual(chargedFor(written, answered, may({ write_images: true })), 60n)
  })

  it("cost what was held for them where no completion was told at all", () => {
    const pricing = { completion: price(1), audio_output: price(5) }
    const size = { ...emptySize, completion_tokens: 10 }
    assert.strictEqual(chargedFor(pricing, { prompt_tokens: 0 }, size), 50n)
    assert.strictEqual(estimateCost(pricedEndpoint(pricing), size), 50n)
    assert.strictEqual(chargedFor(pricing, { prompt_tokens: 0, completion_bytes: 4 }, size), 4n)
  })

  it("leave the sum incomplete without a size, if they may be dearer and nobody counted them", () => {
    const usage = { prompt_tokens: 10, completion_tokens: 10 }
    const plain = { prompt: price(1), completion: price(1) }
    const kinds: readonly (readonly [pricing: object, counted: UsageQuantities])[] = [
      [{ audio: price(2) }, { prompt_tokens_details: { audio_tokens: 0, cached_audio_tokens: 0 } }],
      [{ input_audio_cache: price(2) }, { prompt_tokens_details: { cached_audio_tokens: 0 } }],
      [{ input_cache_write: price(2) }, { prompt_tokens_details: { cache_write_1h_tokens: 0 } }],
      [{ image_token: price(2) }, { prompt_tokens_details: { image_tokens: 0 } }],
      [{ internal_reasoning: price(2) }, { completion_tokens_details: { reasoning_tokens: 0 } }],
      [{ audio_output: price(2) }, { completion_tokens_details: { audio_tokens: 0 } }],
      [{ image_output: price(2) }, { completion_tokens_details: { image_tokens: 0 } }]
    ]
    for (const [dear, counted] of kinds) {
      const pricing = { ...plain, ...dear }
      assert.deepEqual(withoutSize(pricing, usage), { nanos: 20n, isWhole: false }, JSON.stringify(dear))
      assert.deepEqual(
        withoutSize(pricing, { ...usage, ...counted }),
        { nanos: 20n, isWhole: true },
        JSON.stringify(dear)
      )
    }
    assert.deepEqual(withoutSize({ ...plain, input_cache_read: price(0) }, usage), { nanos: 20n, isWhole: true })
  })

  it("are no difference of a total and a prompt that was not told", () => {
    const pricing = { prompt: price(1), completion: price(1) }
    const size = { ...emptySize, text_bytes: 7, completion_tokens: 9 }
    assert.strictEqual(chargedFor(pricing, { completion_tokens: 5, total_tokens: 100 }, size), 12n)
    assert.strictEqual(chargedFor(pricing, { total_tokens: 100 }, size), 16n)
  })
})

describe("uses of tools", () => {
  const none = { prompt_tokens: 0, completion_tokens: 0 }
  const uses = (counts: Record<string, number | null>) => ({ ...none, server_tool_use: counts })
  const fields = { server_tool_prices: { web_fetch: price(3), code_execution: price(50), web_search: price(7_000) } }

  it("cost the price of their own kind, each kind by itself", () => {
    const charged = (counts: Record<string, number | null>) => chargedFor({}, uses(counts), emptySize, fields)
    assert.strictEqual(charged({ web_fetch: 2 }), 6n)
    assert.strictEqual(charged({ code_execution: 1 }), 50n)
    assert.strictEqual(charged({ web_fetch: 2, code_execution: 1 }), 56n)
    assert.strictEqual(charged({ web_fetch: 2, code_execution: null }), 6n)
    assert.strictEqual(charged({ web_search: 1, google_search: 1, other: 1 }), 0n)
  })

  it("cost the same where nobody knows what was held", () => {
    assert.deepEqual(withoutSize({}, uses({ web_fetch: 2, code_execution: 1 }), fields), { nanos: 56n, isWhole: true })
    assert.deepEqual(withoutSize({}, none, fields), { nanos: 0n, isWhole: true })
    const declared = { ...emptySize, server_tools: [{ field: "tools.0", name: "code_execution", most: 2 }] }
    assert.strictEqual(chargedFor({}, uses({ web_fetch: 2 }), declared, fields), 106n)
  })

  it("cost what was held for them in every answer, where they were not told", () => {
    const server_tools = [
      { field: "tools.0", name: "web_fetch", most: 2 },
      { field: "tools.1", name: "code_execution", most: null }
    ]
    assert.strictEqual(chargedFor({}, none, { ...emptySize, server_tools }, fields), 6n)
    assert.strictEqual(chargedFor({}, none, { ...emptySize, server_tools, choices: 3 }, fields), 18n)
    assert.strictEqual(chargedFor({}, none, emptySize, fields), 0n)
  })

  it("cost the dearest that was held for them first, and beyond all of them the dearest price", () => {
    const prices = { server_tool_prices: { "openrouter:web_fetch": price(5), "web-fetch": price(1) } }
    const server_tools = [
      { field: "plugins.0", name: "web-fetch", most: 2 },
      { field: "tools.0", name: "openrouter:web_fetch", most: 1 }
    ]
    const charged = (count: number) =>
      chargedFor({}, uses({ web_fetch: count }), { ...emptySize, server_tools }, prices)
    assert.deepEqual([0, 1, 2, 3, 4, 5].map(charged), [0n, 5n, 6n, 7n, 12n, 17n])
  })
})
