import { assert } from "@effect/vitest"
import type { Call, World } from "../World.ts"
import { accessCases, type CasesOf, outcomeUnknown, reasonIs, refused, storeGone } from "../http/Case.ts"
import {
  bringKey,
  credentialCases,
  newFile,
  providerFails,
  publicClient,
  secondWorkspace,
  unknownId
} from "./fileCases.ts"

const openai = { provider: "openai" }
const params = { file_id: "gw_file_nobody" }

const get = (world: World, file_id: string, call: Call = {}) => world.call("getFile", { params: { file_id }, ...call })

export const getFile: CasesOf = {
  operation: "getFile",
  cases: [
    {
      name: "a file of the caller's workspace",
      status: 200,
      run: async (world) => get(world, await newFile(world)),
      check: ({ json }) =>
        assert.deepInclude(json, { filename: "notes.txt", mime_type: "text/plain", size_bytes: 5, downloadable: false })
    },
    {
      name: "with a management key, in the default workspace, as the public client",
      status: 200,
      run: async (world) => get(world, await newFile(world), { key: world.managementKey, headers: publicClient }),
      check: ({ json }) => assert.strictEqual(json._shape, "openrouter")
    },
    {
      name: "of Anthropic",
      status: 200,
      run: async (world) => {
        await bringKey(world, "well", { provider: "anthropic" })
        const query = { provider: "anthropic" }
        return get(world, await newFile(world, { query }), { query })
      },
      check: ({ json }) =>
        assert.deepInclude(json, { mime_type: "text/plain", created_at: "2026-03-01T10:00:00.000Z", type: "file" })
    },
    ...accessCases("getFile", () => ({ params })),
    { name: "unknown", status: 404, run: (world) => get(world, params.file_id), check: reasonIs("not_found") },
    ...["a.b", "a b", "é", "a/b", "%2e", "x".repeat(257), "a\u0000"].map((file_id) => ({
      name: `malformed: ${file_id.slice(0, 10)}`,
      status: 404,
      run: (world: World) => get(world, file_id)
    })),
    { name: "256 characters", status: 404, run: (world) => get(world, "x".repeat(256)) },
    {
      name: "of another account",
      status: 404,
      run: async (world) => get(world, await newFile(await world.other()))
    },
    {
      name: "of another workspace of the account",
      status: 404,
      run: async (world) => {
        const query = { workspace_id: await secondWorkspace(world) }
        const id = await newFile(world, { key: world.managementKey, query })
        assert.strictEqual((await get(world, id, { key: world.managementKey, query })).status, 200)
        assert.strictEqual((await get(world, id, { query })).status, 404)
        return get(world, id)
      }
    },
    {
      name: "in a workspace nobody has",
      status: 404,
      run: async (world) =>
        get(world, await newFile(world), { key: world.managementKey, query: { workspace_id: unknownId } })
    },
    {
      name: "that the provider does not have",
      status: 404,
      run: async (world) => {
        await bringKey(world, "well")
        return get(world, await newFile(world), { query: openai })
      },
      check: reasonIs("not_found")
    },
    refused(
      "getFile",
      "an unknown provider",
      { params, query: { provider: "openrouter" } },
      { path: "query.provider" }
    ),
    refused(
      "getFile",
      "a workspace_id that is none",
      { params, query: { workspace_id: "default" } },
      { path: "query.workspace_id" }
    ),
    ...credentialCases((world) => get(world, "file-1", { query: openai })),
    ...providerFails((world) => get(world, "file-1", { query: openai })),
    storeGone("Files", 503, (world) => get(world, params.file_id)),
    outcomeUnknown("Files", (world) => get(world, params.file_id))
  ]
}
