import { assert, describe, it } from "@effect/vitest"
import type { ChatMessage } from "@gatewarden/contract"
import { modelFields, opaqueParts, passedOnFields } from "../../src/request/modelInput.ts"

const partsOf = (messages: readonly object[], fields: object = {}) =>
  [...opaqueParts(messages as readonly ChatMessage[], fields as Readonly<Record<string, unknown>>)]
    .flatMap((part) => (part === undefined ? [] : [`${part.kind} ${part.type} ${part.message}`]))
    .toSorted()

const user = (...content: readonly object[]) => ({ role: "user", content })
const text = { type: "text", text: "image_url" }
const image = { type: "image_url", image_url: { url: "https://example.com/a.png" } }

describe("modelFields", () => {
  it("keeps every field that is not known to be for the gateway", () => {
    const sent = { tools: [], functions: [], response_format: {}, prediction: {}, tool_choice: "auto", new_field: "x" }
    const others = {
      model: "m",
      api_key_hash: "h",
      temperature: 0,
      n: 2,
      max_cost_usd: "1",
      messages: [],
      stream: true
    }
    const passed = { user: "u", metadata: { a: "b" }, session_id: "s", trace: {} }
    const request = { ...sent, ...others, ...passed, stop: null, reasoning: undefined }
    assert.deepEqual(modelFields(request), sent)
    assert.deepEqual(passedOnFields(request), passed)
  })
})

describe("opaqueParts", () => {
  it("tells images, other known content and unknown parts apart", () => {
    assert.deepEqual(partsOf([user(text, image), { role: "assistant", content: "image_url" }, user(image, image)]), [
      "image image_url 0",
      "image image_url 2",
      "image image_url 2"
    ])
    for (const type of ["input_audio", "file", "video_url", "document"])
      assert.deepEqual(partsOf([user({ type })]), [`known ${type} 0`])
    assert.deepEqual(partsOf([user({ type: "hologram" })]), ["unknown hologram 0"])
  })

  it("finds them in results of tools, beside the content and in other fields", () => {
    assert.deepEqual(partsOf([user({ type: "tool_result", content: [text, { type: "image" }] })]), ["image image 0"])
    assert.deepEqual(partsOf([{ role: "assistant", content: null, images: [image], audio: { id: "audio_1" } }]), [
      "image image_url 0",
      "known audio 0"
    ])
    assert.deepEqual(partsOf([{ role: "user", content: "a", name: "n", more: { file: { type: "file" } } }]), [
      "known file 0"
    ])
    assert.deepEqual(partsOf([], { input: [{ content: [image, { type: "hologram" }] }] }), [
      "image image_url null",
      "unknown hologram null"
    ])
  })

  it("takes what a part brings beside for content of its own", () => {
    const url = { url: "https://example.com/a.png" }
    for (const [part, ...expected] of [
      [{ ...text, image_url: url }, "image image_url 0"],
      [{ ...text, image_url: "https://example.com/a.png" }, "image image_url 0"],
      [{ ...text, image_url: url, image: url }, "image image_url 0", "unknown image 0"],
      [{ ...text, image_url: [url, url] }, "image image_url 0", "unknown image_url 0"],
      [{ ...text, input_audio: { data: "" } }, "unknown input_audio 0"],
      [{ ...text, hologram: "h" }, "unknown hologram 0"],
      [{ text: "a" }],
      [{ image_url: url }, "image image_url 0"],
      [{ ...image, file: { file_id: "f" } }, "image image_url 0", "unknown file 0"],
      [{ ...image, source: url }, "image image_url 0", "unknown source 0"],
      [{ type: "function_call_output", output: [{ type: "hologram" }] }, "unknown hologram 0"],
      [{ ...text, cache_control: { type: "ephemeral" }, annotations: [], image_url: null, more: 1, also: "" }],
      [{ ...image, detail: "low", cache_control: {} }, "image image_url 0"],
      [{ type: "thinking", thinking: "a", signature: "s" }],
      [{ type: "tool_result", tool_use_id: "t", content: [text], is_error: false }]
    ] as const)
      assert.deepEqual(partsOf([user(part)]), expected, JSON.stringify(part))
    assert.deepEqual(partsOf([{ role: "user", content: "a", image_url: url, file: "https://example.com/a.pdf" }]), [
      "image image_url 0",
      "known file 0"
    ])
  })

  it("takes neither schemas nor arguments for parts", () => {
    const schema = { type: "object", properties: { a: { type: "file" }, content: [{ type: "string" }] } }
    const fields = { tools: [{ type: "function", function: { parameters: schema } }], response_format: schema }
    const call = { id: "1", type: "function", function: { name: "f", arguments: { type: "image" } } }
    const used = { type: "tool_use", input: { type: "image", content: [{ type: "x" }] } }
    assert.deepEqual(partsOf([{ role: "assistant", content: [used], tool_calls: [call] }], fields), [])
  })

  it("reads what is nested deep without a stack", () => {
    let deep: object = image
    for (let depth = 0; depth < 100_000; depth++) deep = [deep]
    assert.deepEqual(partsOf([{ role: "user", content: deep }]), ["image image_url 0"])
  })
})
