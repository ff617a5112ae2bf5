import { assert, describe, it } from "@effect/vitest"
import type { ChatMessage } from "@gatewarden/contract"
import { opaqueParts } from "../../core/src/request/modelInput.ts"
import { modelFields, passedOnFields } from "../../core/src/request/requestFields.ts"

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

  it("finds files and images in tools, outside of schemas and examples", () => {
    const zip = { type: "base64", media_type: "application/zip", data: "UEsDBA==" }
    const skill = { type: "inline", name: "s", description: "d", source: zip }
    const shell = { type: "shell", environment: { type: "container_auto", skills: [skill] } }
    const png = "data:image/png;base64,iVBORw0KGgo="
    const sent: readonly (readonly [tool: object, ...expected: readonly string[]])[] = [
      [shell, "known base64 null"],
      [{ type: "namespace", tools: [shell] }, "known base64 null"],
      [{ type: "openrouter:fusion", parameters: { tools: [shell] } }, "known base64 null"],
      [{ type: null, parameters: { tools: [shell] } }, "known base64 null"],
      [{ type: "x", files: [{ mime_type: "application/pdf", data: "JVBERi0=" }] }, "known files null"],
      [{ type: "x", files: [{ media_type: "application/pdf", source: { file: 1 } }] }, "known files null"],
      [{ type: "x", file: png, files: [` ${png}`, "a.png"] }, "known file null", "known files null"],
      [{ type: "image_generation", input_image_mask: { image_url: png } }, "image input_image_mask null"],
      [{ type: "image_generation", images: ["https://example.com/a.png"] }, "image images null"],
      [{ name: "f", description: "Data: names, ages", input_schema: { properties: { a: zip, b: { default: png } } } }],
      [{ name: "f", input_schema: {}, input_examples: [{ a: zip, b: png }] }],
      [{ type: "function", parameters: { default: png }, function: { parameters: { examples: [zip] } } }]
    ]
    for (const [tool, ...expected] of sent) {
      const name = JSON.stringify(tool)
      assert.deepEqual(partsOf([], { tools: [tool] }), expected, name)
      assert.deepEqual(partsOf([], { input: [{ type: "additional_tools", tools: [tool] }] }), expected, name)
      const other = expected.map((one) => one.replace("null", "0"))
      assert.deepEqual(partsOf([{ ...user(text), tools: [tool] }]), other, name)
    }
  })

  it("finds links in the settings of images", () => {
    const link = "https://example.com/a"
    const image_config = {
      aspect_ratio: "16:9",
      image_size: "2K",
      super_resolution_references: [link, "data:image/png;base64,iVBORw0KGgo=", "//example.com/a.png"],
      font_inputs: [{ font_url: `${link}.ttf`, text: "Note: see" }],
      deep: { er: [[` ht\ntps://example.com/a`, "gs://a/b"]] }
    }
    assert.deepEqual(partsOf([], { image_config }), [
      "image er null",
      "image er null",
      ...Array.from({ length: 3 }, () => "image super_resolution_references null"),
      "known font_url null"
    ])
  })

  it("finds files and images in any field of the request, also below further fields", () => {
    const url = "https://example.com/a"
    const png = "data:image/png;base64,iVBORw0KGgo="
    const base64 = "iVBORw0KGgo".repeat(8)
    for (const [kind, ...names] of [
      [
        "image",
        "input_reference",
        "input_images",
        "first_frame_image",
        "imagePrompt",
        "reference_image_urls",
        "last_frame"
      ],
      ["known", "video_url", "refAudio", "audio", "file", "attachments", "reference_video"]
    ] as const)
      for (const name of names)
        for (const value of [url, png, base64, [url], [{ url: png }], { b64_json: base64 }, { data: [[png]] }])
          for (const fields of [
            { [name]: value },
            { extra_body: { [name]: value } },
            { Google: { parameters: { [name]: value } } },
            { input: { prompt: "a", [name]: value } }
          ]) {
            const found = partsOf([], fields)
            assert.lengthOf(found, 1, JSON.stringify(fields))
            assert.match(found[0] ?? "", new RegExp(`^${kind} `), JSON.stringify(fields))
          }
    for (const [fields, ...expected] of [
      [
        { extra_body: { image: "a", previous_response_id: "b" } },
        "image image null",
        "unknown previous_response_id null"
      ],
      [{ context: png, deep: [{ er: png }, [png]] }, "known context null", "known deep null", "known er null"],
      [
        { query: "a", documents: [{ type: "pdf", data: png }, png, { text: url }] },
        "known data null",
        "known documents null"
      ]
    ] as const)
      assert.deepEqual(partsOf([], fields), expected as readonly string[], JSON.stringify(fields))
    assert.deepEqual(partsOf([{ role: "user", content: "a", more: png }]), ["known more 0"])
  })

  it("finds nothing in ordinary fields", () => {
    const url = "https://example.com/a"
    const id = "file-abc123"
    const checksum = "0123456789abcdef".repeat(4)
    const schema = {
      type: "object",
      description: url,
      properties: { image: { type: "string", default: url, format: "uri" } }
    }
    const fields = {
      instructions: url,
      system: [{ type: "text", text: `Data: see ${url}` }],
      prompt: url,
      input: [
        { role: "user", content: url },
        { type: "function_call_output", call_id: "c", output: url }
      ],
      query: url,
      documents: [url, { title: url, text: url, document: url }],
      metadata: { image: url, file: "a" },
      user: url,
      response_format: { type: "json_schema", json_schema: { name: "image", schema } },
      text: { format: { type: "json_schema", name: "image", schema } },
      tools: [{ type: "function", function: { name: "f", description: url, parameters: schema } }],
      mcp_servers: [{ type: "url", url, name: "files" }],
      plugins: [{ id: "file-parser", pdf: { engine: "native" } }],
      reasoning: { effort: "low" },
      audio: { voice: "alloy", format: "wav" },
      image_config: { aspect_ratio: "16:9" },
      image_size: "2K",
      file_ids: [id],
      file_hash: checksum,
      profile: url,
      timeframe: url,
      callback_url: url,
      safety_identifier: checksum,
      stop: ["data:", "files"],
      prompt_cache_key: "iVBORw0KGgo".repeat(8)
    }
    assert.deepEqual(partsOf([{ role: "user", content: url, name: "image" }], fields), [])
    assert.deepEqual(partsOf([], { extra_body: fields }), [])
  })

  it("finds tokens and references", () => {
    const url = "https://example.com/a.png"
    for (const [fields, ...expected] of [
      [{ input: [1, 2] }, "tokens input null"],
      [{ prompt: [[1, 2], [3]] }, "tokens prompt null", "tokens prompt null"],
      [{ input: ["a", 1] }, "tokens input null"],
      [{ input: [{ type: "item_reference", id: "msg_1" }] }, "unknown item_reference null"],
      [{ input: [{ id: "msg_1" }] }, "unknown item_reference null"],
      [{ input: "a", previous_response_id: "resp_1" }, "unknown previous_response_id null"],
      [{ input: "a", conversation: { id: "conv_1" } }, "unknown conversation null"],
      [
        { prompt: { id: "pmpt_1", variables: { a: { type: "input_image" } } } },
        "image input_image null",
        "unknown prompt null"
      ],
      [{ input: { image: url } }, "image image null"],
      [
        { input: [{ image: "iVBORw0KGgo=" }, { image: [url, url] }] },
        ...Array.from({ length: 3 }, () => "image image null")
      ],
      [
        { documents: [{ text: "a", image: url }, { document: "a" }, "b"], query: { image: url } },
        "image image null",
        "image image null"
      ],
      [{ prompt: "a", init_image: url, mask: { image_url: url } }, "image init_image null", "image mask null"],
      [{ image_urls: [url, url] }, "image image_urls null", "image image_urls null"],
      [{ reference_images: [url], image_url: [url] }, "image image_url null", "image reference_images null"],
      [{ input: ["a"], prompt: "b", documents: [{ id: "1", text: "c" }], mask: true, conversation: "" }],
      [{ input: [{ role: "user", id: "msg_1", content: "a" }], prompt: { a: "b" }, numbers: [1, 2] }],
      [{ metadata: { data: "a", mime_type: "b" } }]
    ] as const)
      assert.deepEqual(partsOf([], fields), expected as readonly string[], JSON.stringify(fields))
  })

  it("takes a member for unknown whose name differs from a known one by case only", () => {
    const said = { role: "user", content: "a" }
    for (const [name, value] of [
      ["Content", [{ Type: "image_url" }]],
      ["Content", "b"],
      ["ROLE", "user"],
      ["Images", ["a"]],
      ["Tool_call\u017f", [{}]]
    ] as const) {
      const expected = (message: number | null) => [`unknown ${name} ${message}`]
      assert.deepEqual(partsOf([{ ...said, [name]: value }]), expected(0), name)
      assert.deepEqual(partsOf([], { input: [{ ...said, [name]: value }] }), expected(null), name)
    }
    assert.deepEqual(
      partsOf([
        { ...said, Image_url: "a" },
        { ...said, notes: "a" }
      ]),
      ["unknown Image_url 0"]
    )
    assert.deepEqual(partsOf([user({ type: "text", text: "a", Image_url: "b" })]), ["unknown Image_url 0"])
  })

  it("reads what is nested deep without a stack", () => {
    let deep: object = image
    for (let depth = 0; depth < 100_000; depth++) deep = [deep]
    assert.deepEqual(partsOf([{ role: "user", content: deep }]), ["image image_url 0"])
  })
})
