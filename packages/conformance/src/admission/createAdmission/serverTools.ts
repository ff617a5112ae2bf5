/** Server tools that the workspace disables, and the models that they ask. Rule: workspaces#server-tools, guardrails#models-of-tools. */
import type { World } from "../../World.ts"
import type { Case } from "../../http/Case.ts"
import { ask, openMarket, restrict } from "../admissionWorld.ts"
import { byDefault, case200, denies, goes } from "./scene.ts"

const type = "openrouter:bash"
const other = { type: "openrouter:datetime" }

const disable = (world: World, disabled_server_tools: readonly string[] | null) =>
  world.call("updateWorkspace", { params: { id: "default" }, body: { disabled_server_tools } })

const deniesTool = denies(403, [{ scope: "request", guardrail_id: null, field: "tools", value: type }])

/** Web search, by the name that the denial tells. */
const webSearches: readonly (readonly [name: string, request: Readonly<Record<string, unknown>>])[] = [
  ["openrouter:web_search", { tools: [{ type: "openrouter:web_search" }] }],
  ["web_search_preview", { tools: [other, { type: "web_search_preview" }] }],
  ["web_search", { web_search_options: {} }],
  ["web", { plugins: [{ id: "web" }] }],
  ["WEB", { plugins: [{ id: "WEB" }] }],
  ["exa", { plugins: [{ id: "exa" }] }],
  [" Web-Search", { tools: [other, { type: " Web-Search" }] }],
  ["browser_search", { tools: [{ type: "browser_search" }] }],
  ["google_search", { tools: [{ google_search: {} }] }],
  ["google_search", { extra_body: { google: { tools: [{ google_search: {} }] } } }],
  ["web_search", { Tools: [{ Type: "web_search" }] }],
  ["web_search", { search_parameters: { mode: "auto" } }],
  ["web_search", { enable_search: true }],
  ["web_search", { compound_custom: { tools: { enabled_tools: ["web_search"] } } }]
]

/** Requests that ask this model besides their own. */
const askingToo: readonly ((model: string) => object)[] = [
  (model) => ({ tools: [other, { type: "openrouter:subagent", parameters: { model } }] }),
  (model) => ({ tools: [{ type: "image_generation", model }] }),
  (model) => ({
    tools: [{ type: "openrouter:fusion", parameters: { tools: [{ type: "advisor", Judge_Model: model }] } }]
  }),
  (model) => ({ tools: [{ type: "function" }, { deep_research: null, google_search: { model } }] }),
  (model) => ({ plugins: [{ id: "fusion", models: [model] }] }),
  (model) => ({ plugins: [{ id: "auto-router", allowedModels: [model] }] }),
  (model) => ({ web_search_options: { model } }),
  (model) => ({ extra_body: { tools: [{ type: "openrouter:advisor", parameters: { model: { id: model } } }] } }),
  (model) => ({ tools: [{ type: "openrouter:fusion", Parameters: { judges: [{ models: [[model]] }] } }] }),
  (model) => ({
    tools: [
      { type: "openrouter:fusion", parameters: { judge: { tools: [{ type: "advisor", parameters: { model } }] } } }
    ]
  }),
  (model) => ({ plugins: [{ id: "fusion", enabled: false, Enabled: true, config: { model } }] }),
  (model) => ({ compound_custom: { models: { reasoning_model: model }, tools: { enabled_tools: ["web_search"] } } }),
  (model) => ({ compound_custom: { models: { answering_model: model } } })
]

export const serverToolCases: readonly Case[] = [
  case200(
    "a server tool that the workspace disables, among others",
    ({ sonnet: model }) => ({ model, tools: [other, { type, parameters: {} }] }),
    deniesTool,
    (world) => disable(world, ["openrouter:web_search", type])
  ),
  case200(
    "a server tool of the preset that the workspace disables",
    async ({ sonnet: model }, world) => {
      await world.call("createPreset", {
        params: { slug: "shell" },
        body: { model, tools: [{ type }], messages: [{ role: "user", content: "" }] }
      })
      return { preset: "shell", tools: [other] }
    },
    deniesTool,
    (world) => disable(world, [type])
  ),
  case200(
    "a server tool that the workspace does not disable, and a function of a disabled name",
    ({ sonnet: model }) => ({ model, tools: [other, { type: "function", function: { name: type } }] }),
    goes("openai", "anthropic"),
    (world) => disable(world, [type])
  ),
  case200(
    "the plugin that fetches pages, where the workspace disables the tool",
    ({ sonnet: model }) => ({ model, plugins: [{ id: "web-fetch" }] }),
    denies(403, [{ scope: "request", guardrail_id: null, field: "tools", value: "web-fetch" }]),
    (world) => disable(world, ["openrouter:web_fetch"])
  ),
  case200(
    "a server tool that the workspace disables, within another",
    ({ sonnet: model }) => ({
      model,
      tools: [{ type: "openrouter:subagent", parameters: { tools: [{ type: "openrouter:bash" }] } }]
    }),
    deniesTool,
    (world) => disable(world, [type])
  ),
  case200(
    "a server tool that the workspace disables, whose name a redaction makes",
    ({ sonnet: model }) => ({ model, tools: [{ type: "openrouter:#x#bash" }] }),
    deniesTool,
    async (world) => {
      await disable(world, [type])
      await restrict(world, { content_filters: [{ pattern: "#[a-z]#", action: "redact", label: "" }] })
    }
  ),
  {
    name: "a server tool with as long a name as it may have, and a longer one",
    status: 200,
    run: async (world) => {
      const { sonnet: model } = await openMarket(world)
      const named = (length: number) => ({ model, tools: [{ type: "t".repeat(length) }] })
      goes("openai", "anthropic")(await ask(world, named(128)), world)
      return ask(world, named(129))
    },
    check: denies(400, [{ scope: "request", guardrail_id: null, field: "tools.name", value: `${"t".repeat(128)}…` }])
  },
  {
    name: "as many server tools as a request may have, and one more",
    status: 200,
    run: async (world) => {
      const { sonnet: model } = await openMarket(world)
      const tools = Array.from({ length: 33 }, (_, index) => ({ type: `openrouter:tool-${index}` }))
      goes("openai", "anthropic")(await ask(world, { model, tools: tools.slice(1) }), world)
      return ask(world, { model, tools })
    },
    check: denies(400, [{ scope: "request", guardrail_id: null, field: "tools", value: 33 }])
  },
  ...webSearches.map(([name, request]) =>
    case200(
      `${name} of ${Object.keys(request).join()}, where the workspace disables web search`,
      ({ sonnet: model }) => ({ model, ...request }),
      denies(403, [{ scope: "request", guardrail_id: null, field: "tools", value: name }]),
      (world) => disable(world, ["openrouter:web_search"])
    )
  ),
  {
    name: "a model that a tool or a plugin asks, and a guardrail does not allow",
    status: 200,
    run: async (world) => {
      const { sonnet: model, mini } = await openMarket(world)
      await restrict(world, { allowed_models: [model] })
      const deniesModel = denies(403, [byDefault(world, "allowed_models", [model])])
      for (const request of askingToo) deniesModel(await ask(world, { model, ...request(mini) }), world)
      deniesModel(await ask(world, { model, ...askingToo[1]?.("gpt-image-1") }), world)
      for (const request of askingToo)
        goes("openai", "anthropic")(await ask(world, { model, ...request(model) }), world)
      const tools = [{ type: "function", model: mini }]
      goes("openai", "anthropic")(await ask(world, { model, tools }), world)
      const many = Array.from({ length: 21 }, (_, index) => `${model}-${index}`)
      denies(400, [{ scope: "request", guardrail_id: null, field: "tools.models", value: 21 }])(
        await ask(world, { model, plugins: [{ id: "fusion", models: many }] }),
        world
      )
      denies(400, [{ scope: "request", guardrail_id: null, field: "tools.models", value: 150_000 }])(
        await ask(world, {
          model,
          plugins: [{ id: "fusion", models: Array.from({ length: 150_000 }, (_, index) => `${index}`) }]
        }),
        world
      )
      await restrict(world, { allowed_models: null, ignored_models: [mini] })
      denies(400, [{ scope: "request", guardrail_id: null, field: "tools.models", value: `${mini}*` }])(
        await ask(world, { model, plugins: [{ id: "auto-router", allowed_models: [`${mini}*`] }] }),
        world
      )
      for (const request of askingToo)
        denies(403, [byDefault(world, "ignored_models", mini)])(
          await ask(world, { model, ...request(`${mini}:free`) }),
          world
        )
      return ask(world, { model, ...askingToo[0]?.(model) })
    },
    check: goes("openai", "anthropic")
  },
  {
    name: "a server tool is disabled and enabled from the next request on",
    status: 200,
    run: async (world) => {
      const { sonnet: model } = await openMarket(world)
      const request = { model, tools: [{ type }] }
      goes("openai", "anthropic")(await ask(world, request), world)
      await disable(world, [type])
      deniesTool(await ask(world, request), world)
      await disable(world, null)
      return ask(world, request)
    },
    check: goes("openai", "anthropic")
  }
]
