/** The most tokens that a request uses, and whose fault it is where nobody knows what it costs. Rule: money#holds, money#unknown-prices. */
import { assert, describe, it } from "@effect/vitest"
import { isUnpriced, tokenBound, unpricedObjections } from "../../core/src/ledger/estimateCost.ts"
import { estimateCost } from "../../core/src/ledger/estimateCost.ts"
import type { RequestSize } from "../../core/src/request/requestSize.ts"
import { emptySize, pricedEndpoint, sizeOf } from "./sizes.ts"

const nano = "0.000000001"
const more = "0.000000003"
const sized = (fields: Partial<RequestSize>): RequestSize => ({ ...emptySize, ...fields })
const search = { field: "tools.0", name: "web_search", most: 2 }

describe("the most tokens of a request", () => {
  const endpoint = pricedEndpoint({ web_search: nano }, { context_length: 100, max_completion_tokens: 8 })

  it("are those of its prompt and of every answer", () => {
    assert.strictEqual(tokenBound(endpoint, sized({ text_bytes: 7 })), 7)
    assert.strictEqual(tokenBound(endpoint, sized({ text_bytes: 7, completion_tokens: 5 })), 12)
    assert.strictEqual(tokenBound(endpoint, sized({ completion_tokens: 50, prediction_bytes: 2, choices: 3 })), 30)
    assert.strictEqual(tokenBound(endpoint, sized({ text_bytes: 7, opaque_parts: 1, completion_tokens: 5 })), 112)
    assert.strictEqual(tokenBound(endpoint, sized({ text_bytes: 7, server_tools: [search] })), 307)
  })

  it("leave out messages that the data plane keeps to itself, and nothing else", () => {
    assert.strictEqual(tokenBound(endpoint, sized({ text_bytes: null, completion_tokens: 5 })), 5)
    assert.strictEqual(tokenBound(endpoint, sized({ text_bytes: null, opaque_parts: 1, completion_tokens: 5 })), 105)
    assert.strictEqual(
      tokenBound(endpoint, sized({ text_bytes: null, images: 1, choices: 2, completion_tokens: 5 })),
      110
    )
  })
})

describe("the price of tokens of images", () => {
  it("is held where the prompt may have some: images, unread content, unseen messages, and what a tool brings", () => {
    const endpoint = pricedEndpoint({ prompt: nano, image_token: more }, { context_length: 100 })
    const held = (fields: Partial<RequestSize>) => estimateCost(endpoint, sized(fields))
    assert.strictEqual(held({ text_bytes: 7 }), 7n)
    assert.strictEqual(held({ text_bytes: 7, images: 1 }), 321n)
    assert.strictEqual(held({ text_bytes: 7, opaque_parts: 1 }), 321n)
    assert.strictEqual(held({ text_bytes: null }), 300n)
    assert.strictEqual(held({ text_bytes: 7, server_tools: [{ ...search, name: "local_shell" }] }), 321n)
  })

  it("is not held where it is lower than that of text", () => {
    const endpoint = pricedEndpoint({ prompt: more, image_token: nano }, { context_length: 100 })
    assert.strictEqual(estimateCost(endpoint, sized({ text_bytes: 7, images: 1 })), 321n)
  })
})

describe("what has no bound", () => {
  const unbounded = { context_length: 0 }
  const fieldsOf = (pricing: object, size: RequestSize, fields: object = {}, tier: string | null = null) =>
    unpricedObjections(
      pricedEndpoint(pricing, fields),
      size,
      tier === null ? null : { field: tier, value: "priority" }
    ).map(({ reason, edit }) => [reason.scope, reason.field, reason.value, edit])

  it("is a context that nobody knows, only where something costs as much as there is of it", () => {
    const objection = [["catalog", "context_length", 0, null]]
    assert.deepEqual(fieldsOf({ prompt: nano }, sized({ opaque_parts: 1 }), unbounded), objection)
    assert.deepEqual(fieldsOf({ prompt: nano }, sized({ text_bytes: null }), unbounded), objection)
    assert.deepEqual(fieldsOf({ image_token: nano }, sized({ images: 1 }), unbounded), objection)
    assert.deepEqual(fieldsOf({}, sized({ opaque_parts: 1 }), unbounded), [], "the prompt is free")
    assert.deepEqual(fieldsOf({ prompt: nano }, sized({ text_bytes: 9 }), unbounded), [], "the prompt is counted")
    assert.deepEqual(fieldsOf({ prompt: nano }, sized({ opaque_parts: 1 }), { context_length: 1 }), [])
    assert.deepEqual(fieldsOf({ prompt: nano }, sized({ opaque_parts: 1 }), { ...unbounded, max_prompt_tokens: 9 }), [])
  })

  it("is told in this order: prices, the context, the tier, and tools", () => {
    const size = sized({ opaque_parts: 1, server_tools: [{ ...search, most: null }] })
    assert.deepEqual(fieldsOf({ prompt: nano, image: "-1", web_search: nano }, size, unbounded, "service_tier"), [
      ["catalog", "pricing.image", "-1", null],
      ["catalog", "context_length", 0, null],
      ["request", "service_tier", "priority", null],
      ["request", "tools.0.max_uses", null, null]
    ])
  })

  it("is no price of another kind: only prices of the catalog, and not its numbers, can be unknown", () => {
    const overrides = [{ min_prompt_tokens: 1, prompt: "-1", utc_start: 1 }]
    assert.deepEqual(fieldsOf({ overrides, web_search: "-1" }, sized({})), [
      ["catalog", "pricing.overrides.0.prompt", "-1", null]
    ])
  })

  it("is a use of a plugin in an object that only some providers read, because others may loop", () => {
    const nested = sizeOf({ messages: [], extra_body: { plugins: [{ id: "web" }] } })
    const [tool] = nested.server_tools
    assert.deepEqual(fieldsOf({ prompt: nano, web_search: "0" }, nested, { context_length: 1 }), [
      ["request", `${tool?.field}.max_uses`, null, null]
    ])
  })
})

describe("a reason for which a request has no known cost", () => {
  const isSo = (scope: Parameters<typeof isUnpriced>[0]["scope"], field: string) =>
    isUnpriced({ scope, guardrail_id: null, field, value: null })

  it("is a price or the context of the catalog, and a tier or a tool of the request", () => {
    for (const field of ["context_length", "pricing.prompt", "pricing.overrides.0.completion"])
      assert.deepEqual(
        [isSo("catalog", field), isSo("request", field), isSo("member", field)],
        [true, false, false],
        field
      )
    for (const field of [
      "service_tier",
      "extra_body.speed",
      "tools.0",
      "tools.1.max_uses",
      "plugins.0",
      "web_search_options"
    ])
      assert.deepEqual(
        [isSo("request", field), isSo("catalog", field), isSo("key", field)],
        [true, false, false],
        field
      )
    for (const field of ["pricing", "quantization", "max_completion_tokens", "overrides.pricing.prompt"])
      assert.isFalse(isSo("catalog", field), field)
    for (const field of ["model", "provider.only", "max_tokens"]) assert.isFalse(isSo("request", field), field)
  })
})
