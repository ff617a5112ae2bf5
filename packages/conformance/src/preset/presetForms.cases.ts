/** The cases of the operations that make presets of other forms of requests. Rule: presets#other-forms. */
import type { OperationId } from "@gatewarden/contract"
import { assert } from "@effect/vitest"
import { accessCases, type Case, type CasesOf, outcomeUnknown, reasonIs, refused, storeGone } from "../http/Case.ts"
import type { World } from "../World.ts"
import { post as postChat, read, slug } from "./createPreset/scene.ts"

const params = { slug }
const unknownId = "00000000-0000-4000-8000-000000000000"
const schema = { type: "object", properties: { city: { type: "string" } } }
const weather = { type: "function", function: { name: "weather", description: "Of a city", parameters: schema } }
const time = { type: "function", function: { name: "time", parameters: {} } }
const search = { type: "openrouter:web_search", parameters: { max_results: 3 } }

/** Settings that every form has, as they are kept. */
const settings = {
  model: "acme/sonnet",
  models: ["acme/mini"],
  temperature: 0.5,
  top_p: 0.9,
  top_k: 40,
  provider: { order: ["openai"] },
  plugins: [{ id: "web" }],
  stop_server_tools_when: [{ type: "step_count_is", step_count: 3 }],
  cache_control: { type: "ephemeral" }
}

interface Form {
  readonly operation: OperationId
  readonly least: object
  /** The fields that belong to one request, and those that a chat completion does not have. */
  readonly passing: object
  readonly prompts: readonly (readonly [sent: object, expected: string])[]
  readonly tools: object
  readonly choices: readonly (readonly [sent: unknown, expected: unknown])[]
  readonly own: readonly (readonly [sent: object, expected: object])[]
  readonly bad: readonly (readonly [sent: object, path: string])[]
}

const forms: readonly Form[] = [
  {
    operation: "createPresetFromMessages",
    least: { model: "acme/sonnet", messages: [{ role: "user", content: "Hello" }] },
    passing: {
      stream: true,
      metadata: { user_id: "u" },
      thinking: { type: "disabled" },
      stop_sequences: ["END"],
      session_id: "s",
      trace: {},
      context_management: null
    },
    prompts: [
      [{ system: "Be brief." }, "Be brief."],
      [{ system: "" }, ""],
      [
        {
          system: [
            { type: "text", text: "a", cache_control: { type: "ephemeral" } },
            { type: "text", text: "b" }
          ]
        },
        "a\nb"
      ],
      [{ messages: [{ role: "system", content: "not this" }] }, ""]
    ],
    tools: [
      { name: "weather", description: "Of a city", input_schema: schema },
      { type: "custom", name: "time", input_schema: {} },
      search
    ],
    choices: [
      [{ type: "auto" }, "auto"],
      [{ type: "any" }, "required"],
      [{ type: "none" }, "none"],
      [
        { type: "tool", name: "time" },
        { type: "function", function: { name: "time" } }
      ]
    ],
    own: [
      [{ max_tokens: 1024 }, { max_tokens: 1024 }],
      [{ service_tier: "standard_only" }, { service_tier: "default" }],
      [{ messages: null }, {}]
    ],
    bad: [
      [{ messages: undefined }, "messages"],
      [{ messages: [{ role: "user" }] }, "messages.0.content"],
      [{ model: undefined }, "model"],
      [{ system: 5 }, "system"],
      [{ system: [{ type: "image" }] }, "system.0.type"],
      [{ temperature: 2.01 }, "temperature"],
      [{ tools: ["x"] }, "tools.0"]
    ]
  },
  {
    operation: "createPresetFromResponses",
    least: { input: "Hello" },
    passing: {
      stream: false,
      store: false,
      input: [{ role: "system", content: "not this" }],
      prompt: { id: "p" },
      previous_response_id: "r",
      max_output_tokens: 5,
      text: { format: { type: "text" } },
      metadata: null,
      user: "u",
      truncation: "auto"
    },
    prompts: [
      [{ instructions: "Be brief." }, "Be brief."],
      [{ instructions: null }, ""],
      [{ input: [{ role: "developer", content: "not this" }] }, ""]
    ],
    tools: [
      { type: "function", name: "weather", description: "Of a city", parameters: schema },
      { type: "function", name: "time", parameters: {} },
      search
    ],
    choices: [
      ["required", "required"],
      [
        { type: "function", name: "time" },
        { type: "function", function: { name: "time" } }
      ],
      [{ type: "web_search" }, { type: "web_search" }]
    ],
    own: [
      [{ reasoning: { effort: "low", summary: "auto" } }, { reasoning: { effort: "low", summary: "auto" } }],
      [{ reasoning: null, service_tier: "auto" }, { service_tier: "auto" }],
      [
        { parallel_tool_calls: false, top_logprobs: 3 },
        { parallel_tool_calls: false, top_logprobs: 3 }
      ]
    ],
    bad: [
      [{ instructions: 5 }, "instructions"],
      [{ instructions: ["x"] }, "instructions"],
      [{ top_p: 1.01 }, "top_p"],
      [{ reasoning: { effort: "some" } }, "reasoning.effort"]
    ]
  }
]

const versionOf = (json: { readonly data: { readonly designated_version: Record<string, unknown> } }) =>
  json.data.designated_version

const casesOf = ({ operation, least, passing, prompts, tools, choices, own, bad }: Form): CasesOf => {
  const post = (world: World, fields: object = {}, call: object = {}) =>
    world.call(operation, { params, body: { ...least, ...fields }, ...call })
  const keeps = (name: string, sent: object, expected: object): Case => ({
    name: `keeps ${name}`,
    status: 200,
    run: (world) => post(world, sent),
    check: ({ json }) => assert.deepInclude(versionOf(json)["config"] as object, expected)
  })
  return {
    operation,
    cases: [
      {
        name: "every setting as it was sent, and nothing that belongs to one request",
        status: 200,
        run: (world) => post(world, { ...passing, ...settings }),
        check: async (answer, world) => {
          assert.deepEqual(versionOf(answer.json)["config"], settings)
          assert.strictEqual((await read(world)).text, answer.text)
        }
      },
      {
        name: "the next version of a preset that was made of a chat completion",
        status: 200,
        run: async (world) => {
          const first = await postChat(world)
          const answer = await post(world, { temperature: 1 })
          assert.strictEqual(answer.json.data.id, first.json.data.id)
          return answer
        },
        check: ({ json }) => assert.deepInclude(versionOf(json), { version: 2, creator_id: "user-1" })
      },
      ...prompts.map(([sent, expected]): Case => ({
        name: `system prompt ${JSON.stringify(expected)} of ${JSON.stringify(sent)}`,
        status: 200,
        run: (world) => post(world, sent),
        check: ({ json }) => assert.strictEqual(versionOf(json)["system_prompt"], expected)
      })),
      {
        name: "functions in the form of a chat completion, so that they merge with those of a chat request",
        status: 200,
        run: (world) => post(world, { tools }),
        check: ({ json }) =>
          assert.deepEqual((versionOf(json)["config"] as { tools: unknown }).tools, [weather, time, search])
      },
      ...choices.map(([sent, expected]) =>
        keeps(`the choice ${JSON.stringify(sent)}`, { tool_choice: sent }, { tool_choice: expected })
      ),
      ...own.map(([sent, expected]) => keeps(JSON.stringify(sent), sent, expected)),
      ...bad.map(([sent, path]) =>
        refused(operation, JSON.stringify(sent), { params, body: { ...least, ...sent } }, { path })
      ),
      refused(
        operation,
        "what changes the price and is not kept",
        { params, body: { ...least, web_search_options: {} } },
        { path: "web_search_options" }
      ),
      refused(
        operation,
        "efforts that differ",
        { params, body: { ...least, reasoning: { effort: "low" }, reasoning_effort: "high" } },
        { path: "reasoning_effort", reason: "conflicting_reasoning_effort" }
      ),
      refused(
        operation,
        "a slug that is none",
        { params: { slug: "a b" }, body: least },
        { path: "path.slug", reason: "invalid_preset_slug" }
      ),
      ...accessCases(operation, () => ({ params, body: least })),
      {
        name: "an API key that names another workspace",
        status: 403,
        run: (world) => post(world, {}, { query: { workspace_id: unknownId } }),
        check: reasonIs("foreign_workspace")
      },
      {
        name: "a management key that names a workspace of another account",
        status: 404,
        run: async (world) =>
          post(world, {}, { key: world.managementKey, query: { workspace_id: (await world.other()).workspace_id } }),
        check: reasonIs("unknown_workspace")
      },
      storeGone("Presets", 500, (world) => post(world)),
      outcomeUnknown("Presets", (world) => post(world))
    ]
  }
}

export const presetFormCases: readonly CasesOf[] = forms.map(casesOf)
