import { assert } from "@effect/vitest"
import { type Case, type CasesOf, outcomeUnknown, reasonIs, refused } from "../http/Case.ts"
import { restrictedKey, searching } from "../destination/updateDestination/withoutPrompts.ts"
import { nowIn } from "../key/keyStates.ts"
import type { World } from "../World.ts"
import { workspaceCases } from "./workspaceCases.ts"

const params = { id: "default" }

const update = (world: World, body: object) => world.call("updateWorkspace", { params, body })

const everySetting = {
  name: "Everything",
  slug: "everything-1",
  description: "é🙂",
  default_text_model: "acme/sonnet",
  default_image_model: "acme/paint",
  default_provider_sort: "throughput",
  disabled_server_tools: ["openrouter:web_search", "openrouter:bash"],
  io_logging_api_key_ids: [7, -1, 2 ** 40],
  io_logging_sampling_rate: 0.0001,
  is_data_discount_logging_enabled: true,
  is_observability_broadcast_enabled: true,
  is_observability_io_logging_enabled: true,
  presets_designated_by: "creator"
}

const cleared = {
  description: "",
  default_text_model: "",
  default_image_model: "",
  default_provider_sort: "",
  disabled_server_tools: null,
  io_logging_api_key_ids: null,
  io_logging_sampling_rate: 1,
  presets_designated_by: "any_key"
}

const bad = (name: string, body: object, path: string): Case =>
  refused("updateWorkspace", name, { params, body }, { path })

export const updateWorkspace: CasesOf = {
  operation: "updateWorkspace",
  cases: [
    {
      name: "every field, by id in capitals; the rest stays",
      status: 200,
      run: async (world) => {
        const before = (await world.call("getWorkspace", { params })).json.data
        world.installation.clock.now += 1000
        const id = world.workspace_id.toUpperCase()
        const answer = await world.call("updateWorkspace", { params: { id }, body: everySetting })
        assert.deepEqual(answer.json.data, { ...before, ...everySetting, updated_at: nowIn(world) })
        const read = await world.call("getWorkspace", { params: { id: everySetting.slug } })
        assert.deepEqual(read.json, answer.json)
        assert.strictEqual((await world.call("getWorkspace", { params })).status, 404)
        return answer
      }
    },
    {
      name: "one field",
      status: 200,
      run: async (world) => {
        const before = (await update(world, everySetting)).json.data
        const answer = await world.call("updateWorkspace", {
          params: { id: everySetting.slug },
          body: { is_observability_broadcast_enabled: false }
        })
        assert.deepEqual(answer.json.data, { ...before, is_observability_broadcast_enabled: false })
        return answer
      }
    },
    {
      name: "null sets the default of a new workspace, and leaves a flag as it is",
      status: 200,
      run: async (world) => {
        await update(world, { ...everySetting, slug: "default" })
        return update(world, {
          ...Object.fromEntries(Object.keys(cleared).map((field) => [field, null])),
          is_data_discount_logging_enabled: null
        })
      },
      check: ({ json }) => assert.deepInclude(json.data, { ...cleared, is_data_discount_logging_enabled: true })
    },
    {
      name: "an empty list of tools disables none, a repeated tool counts once",
      status: 200,
      run: async (world) => {
        const tool = "openrouter:shell"
        const twice = await update(world, { disabled_server_tools: [tool, "openrouter:bash", tool] })
        assert.deepEqual(twice.json.data.disabled_server_tools, [tool, "openrouter:bash"])
        return update(world, { disabled_server_tools: [] })
      },
      check: ({ json }) => assert.isNull(json.data.disabled_server_tools)
    },
    {
      name: "what is there already, and nothing: updated_at stays",
      status: 200,
      run: async (world) => {
        const before = await update(world, { ...everySetting, slug: "default" })
        world.installation.clock.now += 1000
        const same = await update(world, { ...everySetting, slug: "default" })
        assert.deepEqual(same.json, before.json)
        const nothing = await update(world, { id: "x", created_by: "me", default_guardrail_id: "x" })
        assert.deepEqual(nothing.json, before.json)
        return nothing
      }
    },
    {
      name: "by a key that is restricted to the workspace: every other slug, taken or not",
      status: 403,
      run: async (world) => {
        await world.call("createWorkspace", { body: { name: "Hidden", slug: "hidden" } })
        const restrictions = { workspace_ids: [world.workspace_id] }
        const { key } = (await world.call("createManagementKey", { body: { name: "k", restrictions } })).json
        const patch = (slug: string) => world.call("updateWorkspace", { key, params, body: { slug, name: "N" } })
        assert.strictEqual((await patch("default")).status, 200)
        const [free, taken] = [await patch("free"), await patch("hidden")]
        assert.deepEqual(free.json.error.metadata.issues, taken.json.error.metadata.issues)
        assert.strictEqual(free.status, 403)
        return taken
      },
      check: reasonIs("restricted_key")
    },
    {
      name: "by a restricted key: deliveries on, while no enabled destination tells of bodies, or with prompts",
      status: 403,
      run: async (world) => {
        const turn = (flag: boolean, key = world.managementKey) =>
          world.call("updateWorkspace", { key, params, body: { is_observability_broadcast_enabled: flag } })
        const config = { url: "https://example.com/events" }
        const destination = { type: "webhook", config, privacy_mode: true, filter_rules: searching("output") }
        const { id } = (await world.call("createDestination", { body: destination })).json.data
        const patch = (body: object) => world.call("updateDestination", { params: { id }, body })
        const key = await restrictedKey(world, { resources: ["workspaces"] })
        await turn(false)
        const searches = await turn(true, key)
        await patch({ filter_rules: null, privacy_mode: false })
        const receives = await turn(true, key)
        assert.deepEqual([searches.status, receives.status], [403, 403])
        assert.isFalse((await world.call("getWorkspace", { params })).json.data.is_observability_broadcast_enabled)
        await patch({ enabled: false })
        assert.strictEqual((await turn(true, key)).status, 200)
        await patch({ enabled: true })
        assert.strictEqual((await turn(true, key)).status, 200)
        await turn(false, key)
        const named = await restrictedKey(world, { resources: ["workspaces", "prompts"] })
        assert.strictEqual((await turn(true, named)).status, 200)
        await turn(false)
        await patch({ privacy_mode: true })
        assert.strictEqual((await turn(true, key)).status, 200)
        return receives
      },
      check: reasonIs("restricted_key")
    },
    {
      name: "a slug that another account has",
      status: 200,
      run: async (world) => {
        await (await world.other()).call("createWorkspace", { body: { name: "Theirs", slug: "theirs" } })
        return update(world, { slug: "theirs" })
      }
    },
    {
      name: "a slug that another workspace of the account has",
      status: 400,
      run: async (world) => {
        await world.call("createWorkspace", { body: { name: "Second", slug: "second" } })
        const answer = await update(world, { name: "Lost", slug: "second" })
        assert.strictEqual((await world.call("getWorkspace", { params })).json.data.name, "Default")
        return answer
      },
      check: reasonIs("slug_taken")
    },
    bad("no name", { name: null }, "name"),
    bad("an empty name", { name: "" }, "name"),
    bad("no slug", { slug: null }, "slug"),
    bad("a slug in capitals", { slug: "Research" }, "slug"),
    bad("a description of 501 characters", { description: "d".repeat(501) }, "description"),
    bad("an unknown sort", { default_provider_sort: "luck" }, "default_provider_sort"),
    bad("a word for presets_designated_by that is none", { presets_designated_by: "nobody" }, "presets_designated_by"),
    bad("a rate of 0", { io_logging_sampling_rate: 0 }, "io_logging_sampling_rate"),
    bad("an unknown tool", { disabled_server_tools: ["openrouter:tea"] }, "disabled_server_tools.0"),
    bad("a key id that is no integer", { io_logging_api_key_ids: [1.5] }, "io_logging_api_key_ids.0"),
    ...workspaceCases("updateWorkspace", { body: { name: "Other" } }),
    outcomeUnknown("Workspaces", (world) => update(world, { name: "Other" }))
  ]
}
