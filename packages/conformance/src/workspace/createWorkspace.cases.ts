import { assert } from "@effect/vitest"
import { type CasesOf, managementOnly, reasonIs, refused, storeGone } from "../http/Case.ts"

const body = { name: "Research", slug: "research" }
const bad = (name: string, fields: Record<string, unknown>, path: string) =>
  refused("createWorkspace", name, { body: { ...body, ...fields } }, { path })

export const createWorkspace: CasesOf = {
  operation: "createWorkspace",
  cases: [
    {
      name: "with every default",
      status: 200,
      run: (world) => world.call("createWorkspace", { body }),
      check: ({ json: { data } }) => {
        assert.deepInclude(data, {
          description: "",
          created_by: "system",
          default_text_model: "",
          default_provider_sort: "",
          disabled_server_tools: null,
          io_logging_api_key_ids: null,
          io_logging_sampling_rate: 1,
          presets_designated_by: "any_key",
          is_observability_broadcast_enabled: false
        })
        assert.strictEqual(data.updated_at, data.created_at)
      }
    },
    {
      name: "as sent, and readable by slug",
      status: 200,
      run: async (world) => {
        const fields = {
          ...body,
          slug: "a-1",
          description: "é",
          default_provider_sort: "price",
          disabled_server_tools: ["openrouter:web_search", "openrouter:experimental__search_models"],
          io_logging_api_key_ids: [1, -1, 2 ** 31, Number.MAX_SAFE_INTEGER, Number.MIN_SAFE_INTEGER],
          io_logging_sampling_rate: 0.25,
          presets_designated_by: "management_keys"
        }
        const made = await world.call("createWorkspace", { body: fields })
        const read = await world.call("getWorkspace", { params: { id: "a-1" }, key: world.managementKey })
        assert.deepEqual(read.json, made.json)
        assert.deepInclude(read.json.data, fields)
        return read
      }
    },
    {
      name: "guardrails can be placed in it",
      status: 200,
      run: async (world) => {
        const made = await world.call("createWorkspace", { body })
        return world.call("createGuardrail", { body: { name: "There", workspace_id: made.json.data.id.toUpperCase() } })
      }
    },
    ...managementOnly("createWorkspace", () => ({ body })),
    bad("no name", { name: undefined }, "name"),
    bad("a name of 101 characters", { name: "n".repeat(101) }, "name"),
    bad("a slug in capitals", { slug: "Research" }, "slug"),
    bad("a slug with a double hyphen", { slug: "a--b" }, "slug"),
    bad("a slug of 51 characters", { slug: "s".repeat(51) }, "slug"),
    bad("an unknown sort", { default_provider_sort: "luck" }, "default_provider_sort"),
    {
      name: "a slug that is taken",
      status: 400,
      run: (world) => world.call("createWorkspace", { body: { ...body, slug: "default" } }),
      check: reasonIs("slug_taken")
    },
    storeGone("Workspaces", 500, (world) => world.call("createWorkspace", { body }))
  ]
}
