import { assert, describe, it } from "@effect/vitest"
import { isSameTool, isToolField, serverToolsOf } from "../../core/src/request/serverTools.ts"

describe("server tools of a request", () => {
  it("are found in its tools, in namespaces, and in items that bring further ones", () => {
    const search = { type: "web_search" }
    const fields = {
      tools: [{ type: "function" }, { type: "namespace", tools: [{ type: "custom" }, search] }],
      input: [
        { role: "user", content: "hi" },
        { type: "additional_tools", tools: [{ type: "image_generation", max_uses: 2 }] },
        { type: "tool_search_output", tools: [{ type: "namespace", tools: [search] }] }
      ]
    }
    assert.sameDeepMembers(
      [...serverToolsOf(fields)],
      [
        { field: "tools.1", name: "namespace", most: null },
        { field: "tools.1.tools.1", name: "web_search", most: null },
        { field: "input.1.tools.0", name: "image_generation", most: 2 },
        { field: "input.2.tools.0", name: "namespace", most: null },
        { field: "input.2.tools.0.tools.0", name: "web_search", most: null }
      ]
    )
  })

  it("are found in what a server tool or a plugin gives to the models that it asks", () => {
    const tools = [{ type: "openrouter:web_search", parameters: { max_uses: 3 } }]
    assert.sameDeepMembers(
      [
        ...serverToolsOf({
          tools: [
            { type: "openrouter:fusion", parameters: { tools } },
            { type: "function", parameters: { tools } }
          ],
          plugins: [
            { id: "fusion", tools },
            { id: "web", enabled: false, tools }
          ]
        })
      ],
      [
        { field: "tools.0", name: "openrouter:fusion", most: null },
        { field: "tools.0.parameters.tools.0", name: "openrouter:web_search", most: 3 },
        { field: "plugins.0", name: "fusion", most: null },
        { field: "plugins.0.tools.0", name: "openrouter:web_search", most: 3 }
      ]
    )
  })

  it("name the models at any depth, but not what describes the tools that they give", () => {
    const tools = [{ type: "function", parameters: { properties: { model: { type: "string" } } } }]
    const [tool] = serverToolsOf({
      tools: [
        {
          type: "openrouter:fusion",
          model: { id: "a" },
          parameters: { tools, judge: [{ models: ["b", ["c"]], tools }] }
        }
      ]
    })
    assert.deepEqual(tool?.models, ["a", "b", "c"])
  })

  it("are looked for until there are more than a request may have", () => {
    let read = 0
    const tool = {
      get type() {
        read++
        return "x"
      },
      id: "x"
    }
    const many = <T>(one: T) => Array.from({ length: 199_000 }, () => one)
    const tools = many(tool)
    for (const fields of [
      { tools },
      { input: [{ tools }] },
      { plugins: many(tool) },
      { compound_custom: { tools: { enabled_tools: many("x") } } },
      { plugins: [{ id: "x", models: many("m"), tools }] }
    ])
      assert.lengthOf(serverToolsOf(fields), 33)
    assert.lengthOf(serverToolsOf({}, [{ content: [{ tools }] }]), 33)
    assert.isBelow(read, 1_000)
  })

  it("are found in messages and in their parts", () => {
    const tools = [{ type: "web_search" }]
    const content = [{ type: "text", text: "hi", tools }]
    const messages = [
      { role: "user", content: "hi", tools },
      { role: "user", content }
    ]
    const found = { name: "web_search", most: null }
    assert.sameDeepMembers(
      [...serverToolsOf({ input: messages }, messages)],
      [
        { field: "input.0.tools.0", ...found },
        { field: "input.1.content.0.tools.0", ...found },
        { field: "messages.0.tools.0", ...found },
        { field: "messages.1.content.0.tools.0", ...found }
      ]
    )
  })

  it("are a web search wherever one is asked for, in whatever form", () => {
    for (const web_search_options of [{}, true, [], "low"])
      assert.deepEqual(serverToolsOf({ web_search_options }), [
        { field: "web_search_options", name: "web_search", most: null }
      ])
    assert.isEmpty(serverToolsOf({ web_search_options: null }))
  })

  it("are a web search under the switches of other providers, unless these are off", () => {
    const found = { name: "web_search", most: null }
    for (const [field, value] of [
      ["search_parameters", { mode: "on" }],
      ["search_parameters", {}],
      ["Search_Parameters", { mode: "auto" }],
      ["enable_search", true],
      ["web_search", { enable: true }],
      ["compound_custom", { tools: { enabled_tools: ["web_search"] } }]
    ] as const)
      assert.deepEqual(serverToolsOf({ [field]: value }), [{ field, ...found }], field)
    assert.deepEqual(serverToolsOf({ search_parameters: { max_search_results: 30 }, max_tool_calls: 2 }), [
      { field: "search_parameters", name: "web_search", most: 30 }
    ])
    assert.isEmpty(
      serverToolsOf({
        search_parameters: { mode: "off" },
        enable_search: false,
        web_search: null,
        compound_custom: { models: {}, tools: {} },
        extra_body: { google: { thinking_config: {} } }
      })
    )
  })

  it("are found whatever the case of a field and of a type, and in further fields of providers", () => {
    for (const [request, field, name] of [
      [{ Tools: [{ type: "web_search" }] }, "Tools.0", "web_search"],
      [{ tools: [{ Type: "web_search" }] }, "tools.0", "web_search"],
      [{ tools: [{ type: "function", TYPE: "web_search" }] }, "tools.0", "web_search"],
      [{ functions: [{ type: "web_search" }] }, "functions.0", "web_search"],
      [{ PLUGINS: [{ id: "web" }] }, "PLUGINS.0", "web"],
      [{ google: { tools: [{ google_search: {} }] } }, "google.tools.0", "google_search"],
      [{ extra_body: { google: { tools: [{ google_search: {} }] } } }, "extra_body.google.tools.0", "google_search"],
      [{ extra_body: { enable_search: true } }, "extra_body.enable_search", "web_search"]
    ] as const) {
      assert.deepEqual(serverToolsOf(request), [{ field, name, most: null }], JSON.stringify(request))
      assert.isTrue(isToolField(field), field)
    }
    for (const field of ["toolset", "service_tier", "provider.only"]) assert.isFalse(isToolField(field), field)
  })

  it("are counted however deep they lie", () => {
    let tools: object[] = [{ type: "web_search" }]
    for (let depth = 0; depth < 50_000; depth++) tools = [{ type: "function", tools }]
    assert.lengthOf(serverToolsOf({ tools }), 1)
  })

  it("are of one kind under the names of the public API and of providers", () => {
    for (const [one, other] of [
      ["openrouter:web_search", "web_search_20250305"],
      ["openrouter:web_search", "web_search_preview_2025_03_11"],
      ["openrouter:web_search", "web"],
      ["openrouter:web_fetch", "web_fetch_20250910"],
      ["openrouter:web_fetch", "web-fetch"],
      ["openrouter:fusion", "fusion"],
      ["openrouter:image_generation", "image_generation"],
      ["openrouter:bash", "bash_20250124"],
      ["openrouter:shell", "shell"],
      ["openrouter:tool_search", "tool_search_tool_regex_20251119"],
      ["openrouter:tool_search", "tool_search"],
      ["openrouter:web_search", "browser_search"],
      ["openrouter:web_search", "web-search"],
      ["openrouter:web_search", "Web_Search"],
      ["openrouter:web_search", "webSearch"],
      ["openrouter:web_search", " web_search"],
      ["openrouter:web_search", " OpenRouter:web search"],
      ["openrouter:web_search", "ｗｅｂ_search"],
      ["openrouter:web_search", "web--search_preview"],
      ["openrouter:web_search", `  web_search_${"x".repeat(200)}`],
      ["openrouter:web_search", "google_search"],
      ["openrouter:web_search", "googleSearchRetrieval"],
      ["openrouter:web_search", "WEB"],
      ["openrouter:web_search", "exa"],
      ["openrouter:web_fetch", "url_context"],
      ["openrouter:bash", "Bash_20250124"]
    ] as const)
      assert.isTrue(isSameTool(one, other), `${one} ${other}`)
    for (const other of ["web_fetch", "web_search_results", "openrouter:web_searching", "code_interpreter"])
      assert.strictEqual(isSameTool("openrouter:web_search", other), other === "web_search_results", other)
  })

  it("are held for the largest maximum that is declared", () => {
    const type = "openrouter:web_search"
    const most = (fields: Readonly<Record<string, unknown>>) => serverToolsOf(fields)[0]?.most
    for (const [tool, expected] of [
      [{ max_uses: 1, parameters: { max_uses: 50 } }, 50],
      [{ max_uses: 50, parameters: { max_uses: 1 } }, 50],
      [{ parameters: { max_uses: 1, max_total_results: 50 } }, 50],
      [{ max_uses: null, parameters: { max_uses: 2 } }, 2]
    ] as const)
      assert.strictEqual(most({ tools: [{ type, ...tool }] }), expected, JSON.stringify(tool))
    assert.strictEqual(most({ plugins: [{ id: "fusion", max_uses: 1, max_results: 50 }] }), 50)
  })

  it("have no maximum where one of several is no count", () => {
    const type = "openrouter:web_search"
    for (const odd of [0, -1, 1.5, "5", true, {}, [], Number.MAX_SAFE_INTEGER + 1]) {
      const request = {
        web_search_options: { max_uses: odd },
        tools: [
          { type, max_uses: odd, parameters: { max_uses: 1 } },
          { type, max_uses: 1, parameters: { max_uses: odd } },
          { type, max_uses: 1, parameters: { max_total_results: odd } }
        ],
        plugins: [{ id: "fusion", max_uses: 1, max_results: odd }]
      }
      for (const { field, most } of serverToolsOf(request)) assert.isNull(most, `${field} ${JSON.stringify(odd)}`)
    }
  })

  it("are held for the results of the plugin `web`, which reads no other maximum", () => {
    const most = (plugin: object) => serverToolsOf({ plugins: [{ id: "web", ...plugin }] })[0]?.most
    assert.strictEqual(most({ max_uses: 1, max_results: 50 }), 50)
    assert.strictEqual(most({ max_results: 3 }), 3)
    for (const id of ["web", "WEB", " Web "]) assert.isNull(most({ id, max_uses: 1 }), id)
  })

  it("are found by the name of a member, beside whatever type", () => {
    const ofClient = { type: "function", function: { name: "a" }, web_search: {} }
    const both = { type: "file_search", file_search: {} }
    const tools = [
      { google_search: {} },
      { googleSearch: {}, url_context: {} },
      { type: null, codeExecution: {} },
      ofClient,
      both
    ]
    assert.deepEqual(
      serverToolsOf({ tools })
        .map(({ field, name }) => `${field} ${name}`)
        .toSorted(),
      [
        "tools.0 google_search",
        "tools.1 googleSearch",
        "tools.1 url_context",
        "tools.2 codeExecution",
        "tools.2 null",
        "tools.3 web_search",
        "tools.4 file_search"
      ]
    )
    const own = { name: "google_search", description: "for google_search", input_schema: { properties: {} } }
    assert.isEmpty(serverToolsOf({ tools: [own, { google_search: null }, { function: { name: "google_search" } }] }))
  })

  it("takes a maximum of 0 for none", () => {
    const zero = { max_uses: 0 }
    const request = {
      web_search_options: zero,
      tools: [{ type: "web_search", ...zero }],
      plugins: [{ id: "web", ...zero }]
    }
    for (const { most } of serverToolsOf(request)) assert.isNull(most)
    for (const { most } of serverToolsOf({ ...request, max_tool_calls: 2 })) assert.strictEqual(most, 2)
  })
})
