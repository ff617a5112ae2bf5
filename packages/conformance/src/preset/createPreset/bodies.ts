/** Bodies: what is kept of them and how, and what is refused. */
import { assert } from "@effect/vitest"
import { type Case, refused } from "../../http/Case.ts"
import {
  everyKept,
  everyPassing,
  keptValues,
  messages,
  nullable,
  passingValues,
  refusedValues
} from "../presetBodies.ts"
import { post, read, short, slug } from "./scene.ts"

const unprocessed = (name: string, raw: string, config: string): Case => ({
  name: `kept as sent: ${name}`,
  status: 200,
  run: async (world) => {
    const made = await world.call("createPreset", {
      params: { slug },
      body: `{"messages":[{"role":"user","content":"x"}],${raw}}`
    })
    assert.include(made.text, `"config":${config}`)
    return read(world)
  },
  check: (answer) => assert.include(answer.text, `"config":${config}`)
})

const prompt = (name: string, sent: readonly object[], expected: string): Case => ({
  name: `system prompt: ${name}`,
  status: 200,
  run: (world) => post(world, { messages: sent }),
  check: async ({ json }, world) => {
    assert.strictEqual(json.data.designated_version.system_prompt, expected)
    assert.strictEqual((await read(world)).json.data.designated_version.system_prompt, expected)
  }
})

export const bodies: readonly Case[] = [
  {
    name: "every field that is kept, and none that is not",
    status: 200,
    run: (world) =>
      post(world, {
        ...everyPassing,
        ...everyKept,
        prediction: { x: 1 },
        preset: "other",
        id: "x",
        version: 9,
        workspace_id: "x"
      }),
    check: async ({ json }, world) => {
      assert.deepEqual(json.data.designated_version.config, everyKept)
      assert.deepEqual((await read(world)).json.data.designated_version.config, everyKept)
      assert.strictEqual(json.data.workspace_id, world.workspace_id)
    }
  },
  {
    name: "null is as good as absent",
    status: 200,
    run: (world) => post(world, Object.fromEntries(nullable.map((field) => [field, null]))),
    check: ({ json }) => assert.deepEqual(json.data.designated_version.config, {})
  },
  ...keptValues.map(({ field, value }): Case => ({
    name: `${field}: ${short(value)}`,
    status: 200,
    run: (world) => post(world, { [field]: value }),
    check: ({ json }) => assert.deepEqual(json.data.designated_version.config, { [field]: value })
  })),
  ...passingValues.map(({ field, value }): Case => ({
    name: `${field}, which is not kept: ${short(value)}`,
    status: 200,
    run: (world) => post(world, { [field]: value }),
    check: ({ json }) => assert.deepEqual(json.data.designated_version.config, {})
  })),
  ...(["createPreset", "createPresetFromResponses", "createPresetFromMessages"] as const).map((operation): Case => ({
    name: `more values than a version may have: ${operation}`,
    status: 413,
    run: (world) => {
      const tools = [{ type: "x", y: Array.from({ length: 50_001 }, () => 0) }]
      return world.call(operation, { params: { slug }, body: { messages, max_tokens: 1, tools } })
    },
    check: async (_, world) => assert.strictEqual((await world.call("listPresets")).json.total_count, 0)
  })),
  unprocessed("the order of keys", '"top_p":1,"model":"m","temperature":0', '{"top_p":1,"model":"m","temperature":0}'),
  unprocessed(
    "names that mean something elsewhere",
    '"logit_bias":{"__proto__":1,"constructor":{"prototype":null},"toString":"","10":2,"b":1,"a":0}',
    '{"logit_bias":{"10":2,"__proto__":1,"constructor":{"prototype":null},"toString":"","b":1,"a":0}}'
  ),
  unprocessed(
    "what is within a field, nulls and empty values too",
    '"provider":{"order":[],"sort":null,"max_price":{}},"tools":[{"type":"x","y":[null,""]}]',
    '{"provider":{"order":[],"sort":null,"max_price":{}},"tools":[{"type":"x","y":[null,""]}]}'
  ),
  unprocessed(
    "numbers and characters",
    '"temperature":1e0,"top_a":1.5e-7,"model":"\\u00e9 \\ud83d\\ude42 \\u2028 \\"\\\\ \\/"',
    `{"temperature":1,"top_a":1.5e-7,"model":"é 🙂 \u2028 \\"\\\\ /"}`
  ),
  prompt("none", messages, ""),
  prompt("one", [{ role: "system", content: "Be brief." }, ...messages], "Be brief."),
  prompt(
    "system and developer messages in order, wherever they stand",
    [
      { role: "developer", content: "One" },
      { role: "user", content: "no" },
      { role: "system", content: "Two" },
      { role: "assistant", content: "no" },
      { role: "tool", content: "no", tool_call_id: "c" },
      { role: "developer", content: "Three" }
    ],
    "One\n\nTwo\n\nThree"
  ),
  prompt(
    "of parts the texts",
    [
      {
        role: "system",
        content: [
          { type: "text", text: "a" },
          { type: "image_url", image_url: { url: "x" }, text: "no" },
          { type: "text", text: "b", cache_control: { type: "ephemeral" } }
        ]
      },
      { role: "system", content: "c" }
    ],
    "a\nb\n\nc"
  ),
  prompt(
    "as it was written",
    [{ role: "system", content: " \n\ttabs and trailing  \n" }],
    " \n\ttabs and trailing  \n"
  ),
  {
    name: "a body's session_id beside the header's, neither of which is kept",
    status: 200,
    run: (world) => post(world, { session_id: "s" }, { headers: { "x-session-id": "h".repeat(300) } }),
    check: ({ text }) => assert.notInclude(text, "session")
  },
  {
    name: "efforts that agree",
    status: 200,
    run: (world) => post(world, { reasoning: { effort: "low" }, reasoning_effort: "low" })
  },
  {
    name: "an effort beside a null one",
    status: 200,
    run: async (world) => {
      assert.strictEqual((await post(world, { reasoning: { effort: null }, reasoning_effort: "low" })).status, 200)
      return post(world, { reasoning: { effort: "low" }, reasoning_effort: null })
    },
    check: ({ json }) => assert.deepEqual(json.data.designated_version.config, { reasoning: { effort: "low" } })
  },
  refused(
    "createPreset",
    "what changes the price and is not kept",
    { params: { slug }, body: { messages, web_search_options: {} } },
    { path: "web_search_options" }
  ),
  {
    name: "the same, where it says nothing",
    status: 200,
    run: (world) => post(world, { web_search_options: null }),
    check: ({ json }) => assert.deepEqual(json.data.designated_version.config, {})
  },
  refused("createPreset", "no messages", { params: { slug }, body: { model: "m" } }, { path: "messages" }),
  ...refusedValues.map(({ field, value }): Case => ({
    name: `${field}: ${short(value)}`,
    status: 400,
    run: (world) => post(world, { [field]: value }),
    check: async ({ json }, world) => {
      const { reason, issues } = json.error.metadata
      assert.strictEqual(reason, "invalid_request")
      assert.isTrue(issues.some(({ path }: { path: string }) => path === field || path.startsWith(`${field}.`)))
      assert.strictEqual((await read(world)).status, 404)
    }
  })),
  {
    name: "a number beyond every number",
    status: 400,
    run: (world) =>
      world.call("createPreset", {
        params: { slug },
        body: '{"messages":[{"role":"user","content":""}],"top_a":1e999}'
      })
  },
  refused(
    "createPreset",
    "efforts that differ",
    { params: { slug }, body: { messages, reasoning: { effort: "low" }, reasoning_effort: "high" } },
    { path: "reasoning_effort", reason: "conflicting_reasoning_effort" }
  )
]
