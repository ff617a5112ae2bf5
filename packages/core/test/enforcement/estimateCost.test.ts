import { type ChatMessage, Pricing } from "@gatewarden/contract"
import { assert, describe, it } from "@effect/vitest"
import { estimateCost } from "../../src/enforcement/estimateCost.ts"
import { promptSize } from "../../src/enforcement/promptSize.ts"

const cost = (pricing: object, size: object = {}, endpoint: object = {}) =>
  estimateCost(
    {
      pricing: Pricing.parse({ prompt: "0", completion: "0", ...pricing }),
      max_completion_tokens: null,
      max_prompt_tokens: null,
      context_length: 0,
      ...endpoint
    },
    { prompt_bytes: 0, images: 0, completion_tokens: 0, ...size }
  )

const nano = "0.000000001"
const more = "0.000000003"

describe("the most that a request can cost", () => {
  it("takes the highest price that can apply to what is read", () => {
    assert.strictEqual(cost({ prompt: nano }, { prompt_bytes: 7 }), 7n)
    for (const field of ["audio", "input_cache_write", "input_cache_write_1h"]) {
      assert.strictEqual(cost({ prompt: nano, [field]: more }, { prompt_bytes: 7 }), 21n, field)
      assert.strictEqual(cost({ prompt: more, [field]: nano }, { prompt_bytes: 7 }), 21n, field)
      assert.strictEqual(cost({ prompt: nano, overrides: [{}, { [field]: more }] }, { prompt_bytes: 7 }), 21n, field)
    }
    assert.strictEqual(cost({ prompt: nano, overrides: [{ prompt: more }] }, { prompt_bytes: 7 }), 21n)
  })

  it("takes the highest price that can apply to what is written", () => {
    assert.strictEqual(cost({ completion: nano }, { completion_tokens: 7 }), 7n)
    for (const field of ["internal_reasoning", "audio_output", "image_output"])
      assert.strictEqual(cost({ completion: nano, [field]: more }, { completion_tokens: 7 }), 21n, field)
    const overrides = [{ completion: more }, {}]
    assert.strictEqual(cost({ completion: nano, overrides }, { completion_tokens: 7 }), 21n)
  })

  it("adds what a request and its images cost", () => {
    assert.strictEqual(cost({ request: more, prompt: nano }, { prompt_bytes: 1 }), 4n)
    assert.strictEqual(cost({ image: more }, { images: 2 }), 6n)
    assert.strictEqual(cost({ image: nano, image_token: more }, { images: 2 }), 6n)
  })

  it("writes no more than the endpoint does", () => {
    const completion_tokens = 100
    assert.strictEqual(cost({ completion: nano }, { completion_tokens }, { max_completion_tokens: 10 }), 10n)
    assert.strictEqual(cost({ completion: nano }, { completion_tokens }, { max_completion_tokens: 1000 }), 100n)
  })

  it("reads all that the endpoint takes where nobody knows how much there is", () => {
    const unknown = { prompt_bytes: null }
    const endpoint = { max_prompt_tokens: 10, context_length: 100 }
    assert.strictEqual(cost({ prompt: nano }, unknown, endpoint), 10n)
    assert.strictEqual(cost({ prompt: nano }, unknown, { ...endpoint, max_prompt_tokens: null }), 100n)
    assert.strictEqual(cost({ prompt: nano }, { prompt_bytes: 1000 }, endpoint), 1000n)
  })

  it("is rounded up once", () => {
    const tiny = "0.0000000004"
    assert.strictEqual(cost({ prompt: tiny, completion: tiny }, { prompt_bytes: 1, completion_tokens: 1 }), 1n)
    assert.strictEqual(cost({ prompt: tiny, completion: tiny }, { prompt_bytes: 2, completion_tokens: 1 }), 2n)
  })
})

describe("promptSize", () => {
  it("counts bytes as they are sent, and images wherever they are", () => {
    const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } }
    const messages = [
      { role: "user", content: [{ type: "text", text: "é" }, image, image] },
      { role: "assistant", content: "image_url" },
      { role: "user", content: [image] }
    ] as unknown as readonly ChatMessage[]
    const prompt_bytes = Buffer.byteLength(JSON.stringify(messages))
    assert.deepEqual(promptSize(messages), { prompt_bytes, images: 3 })
    assert.deepEqual(promptSize(null), { prompt_bytes: null, images: 0 })
  })
})
