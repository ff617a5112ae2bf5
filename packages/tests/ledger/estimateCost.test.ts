import { assert, describe, it } from "@effect/vitest"
import * as fc from "fast-check"
import { estimateCost, unpricedObjections } from "../../core/src/ledger/estimateCost.ts"
import { emptySize, pricedEndpoint, sizeOf } from "./sizes.ts"
import { dearTier, type Fields, fieldsNamed, isTierField, tierFields } from "../../core/src/request/requestFields.ts"

const cost = (pricing: object, size: object = {}, endpoint: object = {}) =>
  estimateCost(pricedEndpoint(pricing, { context_length: 0, ...endpoint }), { ...emptySize, ...size })

const nano = "0.000000001"
const more = "0.000000003"

const user = (...content: readonly object[]) => ({ role: "user", content })
const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } }

describe("the most that a request can cost", () => {
  it("takes the highest price that can apply to what is read", () => {
    assert.strictEqual(cost({ prompt: nano }, { text_bytes: 7 }), 7n)
    for (const field of ["audio", "input_cache_write", "input_cache_write_1h"]) {
      assert.strictEqual(cost({ prompt: nano, [field]: more }, { text_bytes: 7 }), 21n, field)
      assert.strictEqual(cost({ prompt: more, [field]: nano }, { text_bytes: 7 }), 21n, field)
      assert.strictEqual(cost({ prompt: nano, overrides: [{}, { [field]: more }] }, { text_bytes: 7 }), 21n, field)
    }
    assert.strictEqual(cost({ prompt: nano, overrides: [{ prompt: more }] }, { text_bytes: 7 }), 21n)
  })

  it("takes the highest price that can apply to what is written", () => {
    assert.strictEqual(cost({ completion: nano }, { completion_tokens: 7 }), 7n)
    for (const field of ["internal_reasoning", "audio_output", "image_output"])
      assert.strictEqual(cost({ completion: nano, [field]: more }, { completion_tokens: 7 }), 21n, field)
    const overrides = [{ completion: more }, {}]
    assert.strictEqual(cost({ completion: nano, overrides }, { completion_tokens: 7 }), 21n)
  })

  it("takes every answer at its cap, with the prediction that it may not use", () => {
    const size = { completion_tokens: 100, prediction_bytes: 5, choices: 3 }
    assert.strictEqual(cost({ completion: nano }, size), 315n)
    assert.strictEqual(cost({ completion: nano }, size, { max_completion_tokens: 10 }), 45n)
    assert.strictEqual(cost({ request: nano }, size), 3n)
    const server_tools = [{ field: "tools.0", name: "web_search", most: 4 }]
    assert.strictEqual(cost({ web_search: nano }, { ...size, server_tools }), 12n)
  })

  it("adds what a request and its images cost", () => {
    assert.strictEqual(cost({ request: more, prompt: nano }, { text_bytes: 1 }), 4n)
    assert.strictEqual(cost({ image: more }, { images: 2 }), 6n)
  })

  it("takes the whole context for images without a price of their own, and for content that nobody has counted", () => {
    const endpoint = { context_length: 100 }
    assert.strictEqual(cost({ prompt: nano }, { text_bytes: 7, images: 2 }, endpoint), 107n)
    assert.strictEqual(cost({ prompt: nano, image: more }, { text_bytes: 7, images: 2 }, endpoint), 13n)
    assert.strictEqual(cost({ prompt: nano, image_token: more }, { text_bytes: 7, images: 2 }, endpoint), 321n)
    assert.strictEqual(
      cost({ prompt: nano, image: more, image_token: nano }, { text_bytes: 7, images: 2 }, endpoint),
      113n
    )
    assert.strictEqual(cost({ prompt: nano, image: more }, { text_bytes: 7, opaque_parts: 1 }, endpoint), 107n)
  })

  it("reads the whole context again after each use of a tool that the provider runs, for each answer", () => {
    const endpoint = { context_length: 100, max_prompt_tokens: null }
    const search = { field: "tools.0", name: "openrouter:web_search", most: 4 }
    const fetch = { field: "tools.1", name: "fetch", most: 2 }
    const pricing = { prompt: nano, web_search: more }
    const held = (server_tools: readonly object[], size: object = {}) =>
      cost(pricing, { text_bytes: 7, server_tools, ...size }, endpoint)
    assert.strictEqual(held([search]), 7n + 500n + 12n)
    assert.strictEqual(held([search, fetch]), 7n + 700n + 12n)
    assert.strictEqual(held([search], { choices: 3 }), 7n + 1_300n + 36n)
    const local = { field: "tools.0", name: "local_shell", most: 4 }
    assert.strictEqual(held([local]), 7n + 100n, "the client runs it, in a request of its own for each use")
    assert.strictEqual(held([{ ...local, most: null }]), 7n + 100n)
  })

  it("is no less than what a loop of a provider costs", () =>
    fc.assert(
      fc.property(
        fc.array(fc.nat(5), { minLength: 1, maxLength: 3 }),
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.nat(100), { minLength: 50, maxLength: 50 }),
        (uses, choices, reads) => {
          const server_tools = uses.map((most, index) => ({ field: `tools.${index}`, name: "web_search", most }))
          const turns = 1 + choices * uses.reduce((sum, most) => sum + most, 0)
          const read = reads.slice(0, turns).reduce((sum, tokens) => sum + tokens, 0)
          const bound = cost({ prompt: nano, web_search: "0" }, { choices, server_tools }, { context_length: 100 })
          assert.isAtLeast(Number(bound), read)
        }
      )
    ))

  it("reads all that the endpoint takes where nobody knows how much there is", () => {
    const unknown = { text_bytes: null }
    const endpoint = { max_prompt_tokens: 10, context_length: 100 }
    assert.strictEqual(cost({ prompt: nano }, unknown, endpoint), 10n)
    assert.strictEqual(cost({ prompt: nano }, unknown, { ...endpoint, max_prompt_tokens: null }), 100n)
    assert.strictEqual(cost({ prompt: nano }, { text_bytes: 1000 }, endpoint), 1000n)
  })

  it("is rounded up once", () => {
    const tiny = "0.0000000004"
    assert.strictEqual(cost({ prompt: tiny, completion: tiny }, { text_bytes: 1, completion_tokens: 1 }), 1n)
    assert.strictEqual(cost({ prompt: tiny, completion: tiny }, { text_bytes: 2, completion_tokens: 1 }), 2n)
  })
})

describe("what has no bound", () => {
  const reasons = (pricing: object, request: object, fields: object = {}, chosen: Fields = {}) =>
    unpricedObjections(
      pricedEndpoint(pricing, fields),
      sizeOf({ messages: [], ...request }),
      dearTier(fieldsNamed(chosen, tierFields))
    ).map(({ reason }) => [reason.scope, reason.field, reason.value])

  it("is a price that is not known, however the catalog says so", () => {
    for (const unknown of ["-1", null, undefined])
      assert.deepEqual(reasons({ prompt: unknown, completion: unknown }, {}), [
        ["catalog", "pricing.prompt", "-1"],
        ["catalog", "pricing.completion", "-1"]
      ])
    assert.deepEqual(reasons({ request: "-1", overrides: [{ completion: "-1" }] }, {}), [
      ["catalog", "pricing.request", "-1"],
      ["catalog", "pricing.overrides.0.completion", "-1"]
    ])
    assert.deepEqual(reasons({ prompt: nano, image: null, audio: null, web_search: "-1" }, {}), [])
  })

  it("is a server tool without a price or a maximum", () => {
    const tool = (fields: object) => ({ tools: [{ type: "function" }, { type: "openrouter:web_search", ...fields }] })
    const priced = { web_search: nano }
    assert.deepEqual(reasons({}, tool({ max_uses: 2 })), [["request", "tools.1", "openrouter:web_search"]])
    assert.deepEqual(reasons({ web_search: "-1" }, tool({ max_uses: 2 })), [
      ["request", "tools.1", "openrouter:web_search"]
    ])
    assert.deepEqual(reasons(priced, tool({})), [["request", "tools.1.max_uses", null]])
    assert.deepEqual(reasons(priced, tool({ parameters: { max_total_results: 5 } })), [])
    assert.deepEqual(reasons({ web_search: "0" }, tool({})), [])
    const loop = { prompt: nano, web_search: "0" }
    assert.deepEqual(reasons(loop, tool({})), [["request", "tools.1.max_uses", null]], "each use reads the prompt")
    assert.deepEqual(reasons(loop, { ...tool({}), max_tool_calls: 3 }), [])
    assert.deepEqual(reasons(loop, { plugins: [{ id: "web" }] }), [])
    assert.deepEqual(reasons(priced, { tools: [{ type: "web_search_20250305", max_uses: 1 }] }), [])
    assert.deepEqual(reasons(priced, { web_search_options: {} }), [["request", "web_search_options.max_uses", null]])
    assert.deepEqual(reasons(priced, { tools: [{ type: "openrouter:web_fetch", max_uses: 1 }] }), [
      ["request", "tools.0", "openrouter:web_fetch"]
    ])
    const fetched = { server_tool_prices: { "openrouter:web_fetch": nano } }
    assert.deepEqual(reasons({}, { tools: [{ type: "openrouter:web_fetch", max_uses: 1 }] }, fetched), [])
  })

  it("is a plugin without a price or a maximum, unless it is switched off", () => {
    const plugins = (...all: readonly object[]) => ({ plugins: all })
    assert.deepEqual(reasons({ web_search: nano }, plugins({ id: "web" })), [["request", "plugins.0.max_uses", null]])
    assert.deepEqual(reasons({ web_search: nano }, plugins({ id: "web", max_results: 3 })), [])
    assert.deepEqual(reasons({}, plugins({ id: "fusion", enabled: false }, { id: "fusion" })), [
      ["request", "plugins.1", "fusion"]
    ])
    assert.deepEqual(
      reasons({}, plugins({ id: "response-healing" }), { server_tool_prices: { "response-healing": "0" } }),
      []
    )
  })

  it("is no tool that the client runs, unless it may run elsewhere", () => {
    const tools = (...types: readonly string[]) => ({ tools: types.map((type) => ({ type })) })
    assert.deepEqual(reasons({}, tools("local_shell", "apply_patch", "bash_20250124", "text_editor_20250728")), [])
    assert.deepEqual(reasons({}, tools("shell", "code_execution_20250825", "bash")), [
      ["request", "tools.0", "shell"],
      ["request", "tools.1", "code_execution_20250825"],
      ["request", "tools.2", "bash"]
    ])
  })

  it("is a tier with prices of its own, and a context that nobody knows", () => {
    const dear: readonly (readonly [Fields, string, unknown])[] = [
      [{ service_tier: "priority" }, "service_tier", "priority"],
      [{ serviceTier: "priority" }, "serviceTier", "priority"],
      [{ Service_Tier: 7 }, "Service_Tier", 7],
      [{ service_tier: "flex", extra_body: { service_tier: "scale" } }, "extra_body.service_tier", "scale"],
      [{ extra_body: { google: { serviceTier: "x" } } }, "extra_body.google.serviceTier", "x"],
      [{ input: { service_tier: "priority" } }, "input.service_tier", "priority"],
      [{ speed: "fast" }, "speed", "fast"],
      [{ inference_geo: "us" }, "inference_geo", "us"],
      [{ performanceConfig: { latency: "optimized" } }, "performanceConfig", { latency: "optimized" }]
    ]
    for (const [chosen, field, value] of dear) {
      assert.deepEqual(reasons({}, {}, {}, chosen), [["request", field, value]])
      assert.isTrue(isTierField(field))
    }
    for (const listed of [
      { service_tier: "flex" },
      { service_tier: "Default" },
      { service_tier: "on_demand" },
      { speed: "1.0" },
      { service_tier: "standard_only", extra_body: { service_tier: null } },
      { speed: 1.5 },
      { speed: "standard" },
      { inference_geo: "global" },
      { performance_config: {} },
      { metadata: { service_tier: "priority" } }
    ])
      assert.deepEqual(reasons({}, {}, {}, listed), [])
    const unbounded = { context_length: 0 }
    assert.deepEqual(reasons({ prompt: nano }, { messages: [user(image)] }, unbounded), [
      ["catalog", "context_length", 0]
    ])
    assert.deepEqual(reasons({ prompt: nano, image: nano }, { messages: [user(image)] }, unbounded), [])
    assert.deepEqual(reasons({ prompt: nano }, { messages: [] }, unbounded), [])
  })
})

describe("the size of a request", () => {
  const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

  it("counts messages as they are sent, and images wherever they are", () => {
    const messages = [
      user({ type: "text", text: "é\u{1f600}\ud800" }, image, image),
      { role: "assistant", content: "image_url".repeat(100) },
      user(image)
    ]
    const size = sizeOf({ messages })
    assert.deepInclude(size, { text_bytes: bytes(messages), images: 3, opaque_parts: 0 })
    assert.deepInclude(sizeOf({}), { text_bytes: null, images: 0 })
    assert.strictEqual(sizeOf({ messages: [] }).text_bytes, 2)
  })

  it("counts every other field that the model is sent, and what the data plane adds", () => {
    const text = "x".repeat(600_000)
    for (const fields of [
      { response_format: { type: "json_schema", json_schema: { description: text } } },
      { prediction: { type: "content", content: text } },
      { tool_choice: { type: "function", function: { name: text } } },
      { something_new: text }
    ])
      assert.strictEqual(sizeOf({ messages: [], ...fields }).text_bytes, 2 + bytes(fields))
    for (const fields of [
      { tools: [{ type: "function", function: { name: "f", description: text } }] },
      { functions: [{ name: "f", description: text }] }
    ])
      assert.strictEqual(sizeOf({ messages: [], ...fields }).text_bytes, 2 + bytes(fields) + 600)
    assert.strictEqual(sizeOf({ messages: [] }, 600_000).text_bytes, 600_002)
    assert.strictEqual(
      sizeOf({ messages: [], prediction: { content: text } }).prediction_bytes,
      bytes({ content: text })
    )
  })

  it("counts an image that the request brings as an image, and other data as text", () => {
    const inline = (type: string) =>
      user({ type: "image_url", image_url: { url: `data:${type};base64,${"A".repeat(9000)}` } })
    const png = sizeOf({ messages: [inline("image/png")] })
    assert.deepInclude(png, { images: 1, opaque_parts: 0 })
    assert.isBelow(png.text_bytes ?? Infinity, 100)
    const text = sizeOf({ messages: [inline("text/plain")] })
    assert.deepInclude(text, { images: 1, opaque_parts: 1 }, "a provider may read it as an image")
    assert.isAbove(text.text_bytes ?? 0, 9000)
    const source = { type: "base64", media_type: "image/png", data: "A".repeat(9000) }
    assert.isBelow(sizeOf({ messages: [user({ type: "image", source })] }).text_bytes ?? Infinity, 200)
  })

  it("counts the query of a rerank request with each text, and a request for each 100", () => {
    const query = "word ".repeat(1600)
    const documents = Array.from({ length: 1000 }, () => "a b c d")
    const size = sizeOf({ messages: [], query, documents })
    assert.isAtLeast(size.text_bytes ?? 0, query.length * 1000 + bytes(documents))
    assert.isBelow(size.text_bytes ?? 0, (query.length + 2) * 1000 + bytes(documents) + 100)
    assert.strictEqual(estimateCost(pricedEndpoint({ request: nano }), size), 10n)
    for (const [count, choices] of [
      [1, 1],
      [100, 1],
      [101, 2]
    ] as const)
      for (const name of ["documents", "texts", "passages"])
        assert.strictEqual(sizeOf({ query, [name]: documents.slice(0, count) }).choices, choices, name)
    assert.strictEqual(sizeOf({ messages: [], documents }).choices, 1)
    assert.isBelow(sizeOf({ messages: [], documents }).text_bytes ?? Infinity, bytes(documents) + 100)
  })

  it("counts each image in a part, however deep, and no source of a text", () => {
    const url = "https://example.com/a"
    const png = "data:image/png;base64,iVBORw0KGgo="
    const linked = { type: "image", source: { type: "url", url } }
    const coded = { type: "image", source: { type: "base64", media_type: "image/png", data: "A".repeat(90) } }
    const stored = { type: "image", source: { type: "file", file_id: "file_1" } }
    const document = { type: "document", title: url, source: { type: "content", content: [linked, coded, stored] } }
    const found = { type: "web_search_result", url, title: url, encrypted_content: "A".repeat(90) }
    const counts: readonly (readonly [images: number, ...content: readonly object[]])[] = [
      [3, document],
      [
        6,
        { type: "tool_result", content: [document, { ...document, source: { content: [[linked], coded, stored] } }] }
      ],
      [2, { type: "search_result", source: url, title: url, content: [linked, stored] }],
      [0, { type: "web_search_tool_result", tool_use_id: "s", content: [found, found] }],
      [2, { type: "image_base64", image_base64: png }, { type: "image_base64", image_base64: "A".repeat(90) }],
      [3, { type: "video", video: [url, url, url] }],
      [3, { type: "image_url", image_url: [{ url }, { url }, { url }] }],
      [2, { type: "image_url", image_url: { url }, image: url }],
      [3, { type: "text", text: url, images: [url, url, url] }],
      [2, { type: "hologram", views: [url, { type: "image", file_id: "f" }], text: url, title: png.slice(5) }],
      [1, { type: "hologram", a: [[{ b: { mime_type: "image/png", c: "iVBORw0KGgo=" } }]] }],
      [0, { type: "hologram", input_schema: { image: url } }, { type: "text", text: png }],
      [0, { type: "video_url", video_url: { url } }, { type: "file", file: { file_data: url, filename: "a.png" } }],
      [0, { type: "document", source: { type: "url", url } }, { type: "input_audio", input_audio: { data: url } }],
      [2, { type: "file", file: { content: [linked, { type: "image_url", image_url: { url: png } }] } }]
    ]
    for (const [count, ...content] of counts) {
      assert.strictEqual(sizeOf({ messages: [user(...content)] }).images, count, JSON.stringify(content))
      assert.strictEqual(sizeOf({ input: [user(...content)] }).images, count, JSON.stringify(content))
    }
    const fields = { prompt: "a", input_reference: url, input_images: [url, png], extra_body: { start_image: png } }
    assert.deepInclude(sizeOf({ messages: [], ...fields }), { images: 4, opaque_parts: 0 })
    const linked100 = sizeOf({ messages: [], attachments: Array.from({ length: 100 }, () => url) })
    assert.deepInclude(linked100, { images: 0, opaque_parts: 100 })
    assert.isAbove(linked100.text_bytes ?? 0, 0)
    const annotations = [{ type: "file", file: { name: "a", content: [image, image] } }]
    assert.strictEqual(sizeOf({ messages: [{ role: "assistant", content: "a", annotations }] }).images, 2)
  })

  it("holds the price of an image for data that is declared otherwise, where the prompt is free", () => {
    const data = "iVBORw0KGgo="
    const priced = pricedEndpoint({ image: nano })
    for (const url of [
      `data:image/png;base64,${data}`,
      `data:application/octet-stream;base64,${data}`,
      `data:;base64,${data}`,
      `data: image/png;base64,${data}`,
      `data:text/plain,${data}`
    ])
      for (const part of [
        { type: "image_url", image_url: { url } },
        { type: "image_url", image_url: url },
        { type: "input_image", image_url: url },
        { type: "text", text: "see", image_url: { url } }
      ])
        assert.strictEqual(estimateCost(priced, sizeOf({ messages: [user(part)] })), 1n, JSON.stringify(part))
    for (const part of [
      { type: "image", source: { type: "base64", media_type: "application/pdf", data } },
      { type: "file", file: { filename: "a.png", file_data: `data:image/png;base64,${data}` } },
      { type: "input_file", file_data: `DATA:image/png;base64,${data}` },
      { type: "document", source: { type: "base64", media_type: "image/png", data } },
      { type: "video_url", video_url: { url: `data:image/gif;base64,${data}` } }
    ])
      assert.strictEqual(estimateCost(priced, sizeOf({ messages: [user(part)] })), 1n, JSON.stringify(part))
    const dearer = pricedEndpoint({ prompt: nano, image: nano })
    const both = sizeOf({ messages: [user({ type: "image_url", image_url: { url: `data:text/plain,${data}` } })] })
    assert.isAtLeast(Number(estimateCost(dearer, both)), 1_001, "and the whole context where it is not")
    const spoken = pricedEndpoint({ audio: nano })
    const audio = { type: "input_audio", input_audio: { data: "UklGRg==", format: "wav" } }
    assert.strictEqual(
      estimateCost(spoken, sizeOf({ messages: [user(audio)] })),
      1_000n + BigInt(bytes([user(audio)]) - bytes(audio))
    )
  })

  it("counts a part of a type that nobody knows as content, and as text", () => {
    const part = { type: "hologram", text: "x".repeat(9000) }
    const size = sizeOf({ messages: [user(part)] })
    assert.deepInclude(size, { opaque_parts: 1, text_bytes: bytes([user(part)]) })
    const file = { type: "file", file: { filename: "a.pdf", file_data: "https://example.com/a.pdf" } }
    assert.strictEqual(sizeOf({ messages: [user(file)] }).opaque_parts, 1)
  })

  it("counts the prompt that a provider adds to tools", () => {
    const textOf = (fields: object) => sizeOf({ messages: [], ...fields }).text_bytes ?? 0
    for (const name of ["tools", "functions"])
      assert.strictEqual(textOf({ [name]: [{}] }) - textOf({ [name]: [] }), 600 + bytes({}))
  })

  it("knows which kinds of tokens the request can bring about", () => {
    const may = (fields: object) => sizeOf({ messages: [], ...fields }).may
    assert.deepEqual(may({ modalities: ["text"] }), emptySize.may)
    assert.deepInclude(may({}), { write_images: true, write_audio: false })
    assert.deepInclude(may({ modalities: ["text", "audio"] }), { write_images: false, write_audio: true })
    const cached = { type: "text", text: "a", cache_control: { type: "ephemeral" } }
    assert.deepInclude(may({ messages: [user(cached)] }), { cache: true, cache_1h: false })
    assert.deepInclude(may({ tools: [{ cache_control: { type: "ephemeral", ttl: "1h" } }] }), {
      cache: true,
      cache_1h: true
    })
    assert.isTrue(may({ messages: [user({ type: "input_audio" })] }).read_audio)
  })
})
