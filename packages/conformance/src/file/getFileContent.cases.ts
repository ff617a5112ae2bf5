import { assert } from "@effect/vitest"
import type { Answer, Call, World } from "../World.ts"
import { accessCases, type Case, type CasesOf, outcomeUnknown, reasonIs, refused, storeGone } from "../http/Case.ts"
import { withoutDefault } from "../http/withoutDefault.ts"
import { madeContent } from "./fileProvidersAt.ts"
import { bringKey, credentialCases, newFile, providerFails, secondWorkspace, unknownId } from "./fileCases.ts"

const openai = { provider: "openai" }
const params = { file_id: "gw_file_nobody" }

const download = (world: World, file_id: string, call: Call = {}): Promise<Answer> =>
  world.call("getFileContent", { params: { file_id }, ...call })

/** What a browser needs to be told so that it shows nothing of it, and nothing of what the provider said. */
const checkHeaders = ({ headers }: Answer): void => {
  assert.strictEqual(headers.get("content-type"), "application/octet-stream")
  assert.strictEqual(headers.get("content-disposition"), "attachment")
  assert.strictEqual(headers.get("x-content-type-options"), "nosniff")
  assert.strictEqual(headers.get("cache-control"), "no-store")
  assert.isNull(headers.get("set-cookie"))
}

const bytesOf = async (world: World, call: RequestInit = {}): Promise<Response> => {
  const { door, basePath } = world.installation
  const headers = { authorization: `Bearer ${world.normalKey}`, ...call.headers }
  return door.fetch(`${door.origin}${basePath}/files/file-made/content?provider=openai`, { ...call, headers })
}

export const getFileContent: CasesOf = {
  operation: "getFileContent",
  cases: [
    ...["openai", "anthropic"].map((provider): Case => ({
      name: `of a file that ${provider} made`,
      status: 200,
      run: async (world) => {
        await bringKey(world, "making", { provider })
        return download(world, "file-made", { query: { provider } })
      },
      check: checkHeaders
    })),
    {
      name: "every byte, asked for in part or not",
      status: 200,
      run: async (world) => {
        await bringKey(world, "making")
        for (const headers of [{}, { range: "bytes=0-9" }] as Record<string, string>[]) {
          const response = await bytesOf(world, { headers })
          assert.strictEqual(response.status, 200)
          assert.deepEqual(new Uint8Array(await response.arrayBuffer()), madeContent)
        }
        return download(world, "file-made", { query: openai })
      }
    },
    {
      name: "HEAD has no body, and leaves nothing open",
      status: 200,
      run: async (world) => {
        await bringKey(world, "making")
        const response = await bytesOf(world, { method: "HEAD" })
        assert.strictEqual(response.status, 200)
        assert.strictEqual(response.headers.get("content-disposition"), "attachment")
        assert.strictEqual(await response.text(), "")
        return download(world, "file-made", { query: openai })
      }
    },
    {
      name: "a content that breaks off is not taken for a whole one",
      status: 200,
      run: async (world) => {
        await bringKey(world, "making", { key: `sk-making-cut-${world.account_id}` })
        const failed = await bytesOf(world)
          .then((response) => response.arrayBuffer())
          .then(
            () => false,
            () => true
          )
        assert.isTrue(failed)
        await bringKey(world, "making", { provider: "anthropic" })
        return download(world, "file-made", { query: { provider: "anthropic" } })
      }
    },
    ...accessCases("getFileContent", () => ({ params })),
    {
      name: "an uploaded file",
      status: 400,
      run: async (world) => download(world, await newFile(world)),
      check: reasonIs("file_not_downloadable")
    },
    ...["openai", "anthropic"].map((provider): Case => ({
      name: `a file that was uploaded to ${provider}`,
      status: 400,
      run: async (world) => {
        await bringKey(world, "well", { provider })
        const query = { provider }
        return download(world, await newFile(world, { query }), { query })
      },
      check: reasonIs("file_not_downloadable")
    })),
    {
      name: "the default workspace deleted, and none named",
      status: 400,
      run: async (world) => {
        await withoutDefault(world)
        return download(world, params.file_id, { key: world.managementKey })
      },
      check: reasonIs("default_workspace_deleted")
    },
    refused(
      "getFileContent",
      "an unknown provider",
      { params, query: { provider: "google" } },
      { path: "query.provider" }
    ),
    { name: "unknown", status: 404, run: (world) => download(world, params.file_id), check: reasonIs("not_found") },
    ...["a.b", "a b", "a/b", "%2e", "x".repeat(257)].map((file_id) => ({
      name: `malformed: ${file_id.slice(0, 10)}`,
      status: 404,
      run: (world: World) => download(world, file_id)
    })),
    {
      name: "of another account",
      status: 404,
      run: async (world) => download(world, await newFile(await world.other()))
    },
    {
      name: "of another workspace of the account",
      status: 404,
      run: async (world) => {
        const query = { workspace_id: await secondWorkspace(world) }
        return download(world, await newFile(world, { key: world.managementKey, query }))
      }
    },
    {
      name: "in a workspace nobody has",
      status: 404,
      run: (world) => download(world, params.file_id, { key: world.managementKey, query: { workspace_id: unknownId } }),
      check: reasonIs("unknown_workspace")
    },
    {
      name: "that the provider does not have",
      status: 404,
      run: async (world) => {
        await bringKey(world, "well")
        return download(world, "file-0", { query: openai })
      },
      check: reasonIs("not_found")
    },
    ...credentialCases((world) => download(world, "file-1", { query: openai })),
    ...providerFails(
      (world) => download(world, "file-1", { query: openai }),
      ["refused", "failing", "limited", "moved", "gone"]
    ),
    storeGone("Files", 503, (world) => download(world, params.file_id)),
    outcomeUnknown("Files", (world) => download(world, params.file_id))
  ]
}
