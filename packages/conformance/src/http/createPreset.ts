import { assert } from "@effect/vitest"
import type { Answer, Call, World } from "../World.ts"
import { accessCases, type Case, type CasesOf, reasonIs, refused, storeGone } from "./Case.ts"
import {
  everyKept,
  everyPassing,
  keptValues,
  messages,
  nullable,
  passingValues,
  refusedValues
} from "./presetBodies.ts"
import { withoutDefault } from "./withoutDefault.ts"

const slug = "support"
const unknownId = "00000000-0000-4000-8000-000000000000"

const post = (world: World, fields: object = {}, call: Call = {}): Promise<Answer> =>
  world.call("createPreset", { params: { slug }, body: { messages, ...fields }, ...call })

const read = (world: World, call: Call = {}): Promise<Answer> => world.call("getPreset", { params: { slug }, ...call })

const short = (value: unknown): string => {
  const shown = JSON.stringify(value)
  return shown.length > 60 ? `${shown.slice(0, 60)}… (${shown.length})` : shown
}

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

const secondWorkspace = async (world: World): Promise<string> =>
  (await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })).json.data.id

const accepted: readonly Case[] = [
  {
    name: "the first version of a new preset",
    status: 200,
    run: (world) => post(world, { model: "openai/gpt-5", temperature: 0.5 }),
    check: async (answer, world) => {
      const preset = answer.json.data
      const version = preset.designated_version
      const now = new Date(world.installation.clock.now).toISOString()
      assert.deepInclude(preset, {
        workspace_id: world.workspace_id,
        name: slug,
        slug,
        description: null,
        status: "active",
        status_updated_at: null,
        creator_user_id: "user-1",
        designated_version_id: version.id,
        created_at: now,
        updated_at: now
      })
      assert.deepEqual(version, {
        id: version.id,
        preset_id: preset.id,
        version: 1,
        config: { model: "openai/gpt-5", temperature: 0.5 },
        system_prompt: "",
        creator_id: "user-1",
        created_at: now,
        updated_at: now
      })
      assert.strictEqual((await read(world)).text, answer.text)
    }
  },
  {
    name: "a second version, by another key",
    status: 200,
    run: async (world) => {
      await post(world, { temperature: 1, top_k: 3 })
      return post(world, { temperature: 0 }, { key: world.managementKey })
    },
    check: async (answer, world) => {
      const preset = answer.json.data
      assert.strictEqual(preset.creator_user_id, "user-1")
      assert.deepInclude(preset.designated_version, { version: 2, config: { temperature: 0 }, creator_id: "system" })
      assert.strictEqual((await read(world)).text, answer.text)
    }
  },
  {
    name: "times: the preset keeps its first, the version has its own",
    status: 200,
    run: async (world) => {
      const first = await post(world)
      world.installation.clock.now += 5_000
      const second = await post(world)
      assert.strictEqual(second.json.data.created_at, first.json.data.created_at)
      assert.strictEqual(second.json.data.id, first.json.data.id)
      assert.strictEqual(Date.parse(second.json.data.updated_at), Date.parse(first.json.data.updated_at) + 5_000)
      assert.strictEqual(second.json.data.designated_version.created_at, second.json.data.updated_at)
      assert.notStrictEqual(second.json.data.designated_version_id, first.json.data.designated_version_id)
      return second
    }
  },
  {
    name: "times never go back from one version to the next",
    status: 200,
    run: async (world) => {
      const first = await post(world)
      world.installation.clock.now -= 5_000
      const second = await post(world)
      world.installation.clock.now += 5_000
      assert.strictEqual(second.json.data.updated_at, first.json.data.updated_at)
      assert.strictEqual(second.json.data.designated_version.created_at, first.json.data.updated_at)
      return second
    }
  },
  {
    name: "the same body twice is two versions",
    status: 200,
    run: async (world) => {
      await post(world)
      return post(world)
    },
    check: ({ json }) => assert.strictEqual(json.data.designated_version.version, 2)
  },
  {
    name: "an Idempotency-Key makes one version",
    status: 200,
    run: async (world) => {
      await post(world, {}, { headers: { "idempotency-key": "once" } })
      return post(world, {}, { headers: { "idempotency-key": "once" } })
    },
    check: async ({ json }, world) => {
      assert.strictEqual(json.data.designated_version.version, 1)
      assert.strictEqual((await read(world)).json.data.designated_version.version, 1)
    }
  },
  {
    name: "many at once: 1, 2, 3 … without gap, the newest designated",
    status: 200,
    run: async (world) => {
      const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => post(world, { seed: index })))
      for (const answer of answers) assert.strictEqual(answer.status, 200, answer.text)
      assert.sameMembers(
        answers.map(({ json }) => json.data.designated_version.version),
        answers.map((_, index) => index + 1)
      )
      assert.strictEqual(new Set(answers.map(({ json }) => json.data.id)).size, 1)
      const newest = await read(world)
      const last = answers.find(({ json }) => json.data.designated_version.version === 12)
      assert.strictEqual(newest.text, last?.text)
      return newest
    }
  },
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
  ...["a", "A-z_0.9~", "-", "...", "x".repeat(128)].map((slug): Case => ({
    name: `slug ${short(slug)}`,
    status: 200,
    run: (world) => post(world, {}, { params: { slug } }),
    check: ({ json }) => assert.deepInclude(json.data, { slug, name: slug })
  })),
  {
    name: "slugs that differ in case are two presets",
    status: 200,
    run: async (world) => {
      await post(world, {}, { params: { slug: "Support" } })
      return post(world)
    },
    check: ({ json }) => assert.strictEqual(json.data.designated_version.version, 1)
  },
  {
    name: "with a management key, in the default workspace",
    status: 200,
    run: (world) => post(world, {}, { key: world.managementKey }),
    check: ({ json }, world) =>
      assert.deepInclude(json.data, { workspace_id: world.workspace_id, creator_user_id: "system" })
  },
  {
    name: "with a management key, in a workspace that it names, beside one of the same slug",
    status: 200,
    run: async (world) => {
      await post(world)
      const workspace_id = await secondWorkspace(world)
      return post(world, {}, { key: world.managementKey, query: { workspace_id: workspace_id.toUpperCase() } })
    },
    check: async ({ json }, world) => {
      assert.strictEqual(json.data.designated_version.version, 1)
      assert.notStrictEqual(json.data.workspace_id, world.workspace_id)
      assert.notStrictEqual((await read(world)).json.data.id, json.data.id)
    }
  },
  {
    name: "with a normal key that names its own workspace",
    status: 200,
    run: (world) => post(world, {}, { query: { workspace_id: world.workspace_id } })
  },
  {
    name: "with another normal key of the workspace",
    status: 200,
    run: async (world) => {
      await post(world)
      const made = await world.call("createKey", { body: { name: "other", creator_user_id: "user-2" } })
      return post(world, {}, { key: made.json.key })
    },
    check: ({ json }) => {
      assert.strictEqual(json.data.creator_user_id, "user-1")
      assert.deepInclude(json.data.designated_version, { version: 2, creator_id: "user-2" })
    }
  },
  {
    name: "presets of two accounts do not meet",
    status: 200,
    run: async (world) => {
      await post(await world.other())
      return post(world)
    },
    check: ({ json }) => assert.strictEqual(json.data.designated_version.version, 1)
  },
  {
    name: "a deleted workspace takes its presets with it",
    status: 200,
    run: async (world) => {
      const workspace_id = await secondWorkspace(world)
      const call: Call = { key: world.managementKey, query: { workspace_id } }
      const made = await post(world, {}, call)
      await world.call("deleteWorkspace", { params: { id: workspace_id } })
      assert.strictEqual((await read(world, call)).status, 404)
      assert.strictEqual((await post(world, {}, call)).status, 404)
      return made
    }
  }
]

const rejected: readonly Case[] = [
  ...accessCases("createPreset", () => ({ params: { slug }, body: { messages } })),
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
  ),
  ...["a b", "a/b", "é", "a%2Fb", "a+b", "x".repeat(129), "a\u0000", "🙂", "a:1", "@preset"].map((slug) =>
    refused(
      "createPreset",
      `slug ${short(slug)}`,
      { params: { slug }, body: { messages } },
      { path: "path.slug", reason: "invalid_preset_slug" }
    )
  ),
  {
    name: "a normal key that names another workspace of its account",
    status: 403,
    run: async (world) => post(world, {}, { query: { workspace_id: await secondWorkspace(world) } }),
    check: reasonIs("foreign_workspace")
  },
  {
    name: "a normal key that names a workspace nobody has",
    status: 403,
    run: (world) => post(world, {}, { query: { workspace_id: unknownId } }),
    check: reasonIs("foreign_workspace")
  },
  {
    name: "a normal key that names another workspace: 403 comes before 400",
    status: 403,
    run: async (world) => {
      const query = { workspace_id: unknownId }
      const odd = await world.call("createPreset", { params: { slug: "a b" }, body: { messages }, query })
      assert.strictEqual(odd.status, 403)
      const typed = await post(world, {}, { query, headers: { "content-type": "text/plain" } })
      assert.strictEqual(typed.status, 403)
      return post(world, { messages: [] }, { query })
    }
  },
  {
    name: "a management key that names a workspace nobody has",
    status: 404,
    run: (world) => post(world, {}, { key: world.managementKey, query: { workspace_id: unknownId } }),
    check: reasonIs("unknown_workspace")
  },
  {
    name: "a management key that names a workspace of another account",
    status: 404,
    run: async (world) =>
      post(world, {}, { key: world.managementKey, query: { workspace_id: (await world.other()).workspace_id } }),
    check: reasonIs("unknown_workspace")
  },
  {
    name: "a workspace_id that is none",
    status: 400,
    run: (world) => post(world, {}, { query: { workspace_id: "default" } })
  },
  {
    name: "a workspace_id given twice",
    status: 400,
    run: (world) => post(world, {}, { query: `workspace_id=${world.workspace_id}&workspace_id=${world.workspace_id}` })
  },
  {
    name: "the default workspace deleted, and none named",
    status: 400,
    run: async (world) => {
      await withoutDefault(world)
      return post(world, {}, { key: world.managementKey })
    },
    check: reasonIs("default_workspace_deleted")
  },
  storeGone("Presets", 500, (world) => post(world))
]

export const createPreset: CasesOf = { operation: "createPreset", cases: [...accepted, ...rejected] }
