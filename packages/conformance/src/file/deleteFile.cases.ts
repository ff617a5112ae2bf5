import { assert } from "@effect/vitest"
import type { Answer, Call, World } from "../World.ts"
import {
  type Case,
  type CasesOf,
  managementOnly,
  outcomeUnknown,
  reasonIs,
  refused,
  rememberKeys,
  storeGone
} from "../http/Case.ts"
import {
  bringKey,
  contentOf,
  credentialCases,
  newFile,
  providerFails,
  publicClient,
  secondWorkspace,
  unknownId
} from "./fileCases.ts"
import { withoutDefault } from "../http/withoutDefault.ts"

const openai = { provider: "openai" }
const params = { file_id: "gw_file_nobody" }

const remove = (world: World, file_id: string, call: Call = {}): Promise<Answer> =>
  world.call("deleteFile", { params: { file_id }, ...call })

/** A deletion that fails half way: it is told when to come back, the file is gone, and a repetition completes it. */
const interrupted = (port: string, reason: string): Case => ({
  name: `${port} does not answer: the file is hidden, and a repetition completes the deletion`,
  status: 503,
  run: async (world) => {
    const id = await newFile(world)
    world.installation.faults.break(port)
    const failed = await remove(world, id)
    world.installation.faults.mend()
    assert.strictEqual(failed.json.error.metadata.reason, reason)
    assert.match(failed.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
    if (port === "FileContents") {
      assert.isDefined(await contentOf(world, id))
      assert.strictEqual((await world.call("getFile", { params: { file_id: id } })).status, 404)
    }
    assert.strictEqual((await remove(world, id)).status, 200)
    assert.isUndefined(await contentOf(world, id))
    assert.strictEqual((await remove(world, id)).status, 404)
    return failed
  }
})

const many = async (world: World, count: number, key: string): Promise<readonly Answer[]> => {
  const answers: Answer[] = []
  for (let index = 0; index < count; index++) answers.push(await remove(world, params.file_id, { key }))
  return answers
}

export const deleteFile: CasesOf = {
  operation: "deleteFile",
  cases: [
    {
      name: "metadata and content are gone",
      status: 200,
      run: async (world) => {
        const id = await newFile(world)
        const answer = await remove(world, id)
        assert.deepEqual(answer.json, { id, type: "file_deleted" })
        assert.strictEqual((await world.call("getFile", { params: { file_id: id } })).status, 404)
        assert.isUndefined(await contentOf(world, id))
        assert.strictEqual((await remove(world, id)).status, 404)
        return answer
      }
    },
    {
      name: "the public client is told the shape",
      status: 200,
      run: async (world) => {
        const id = await newFile(world)
        const answer = await remove(world, id, { headers: publicClient })
        assert.deepEqual(answer.json, { _shape: "openrouter", id, type: "file_deleted" })
        return answer
      }
    },
    {
      name: "in the workspace that is named",
      status: 200,
      run: async (world) => {
        const query = { workspace_id: await secondWorkspace(world) }
        const id = await newFile(world, { key: world.managementKey, query })
        assert.strictEqual((await remove(world, id)).status, 404)
        return remove(world, id, { query: { workspace_id: query.workspace_id.toUpperCase() } })
      }
    },
    {
      name: "no other file",
      status: 200,
      run: async (world) => {
        const [first, second] = [await newFile(world), await newFile(world)]
        const answer = await remove(world, first)
        assert.strictEqual((await world.call("getFile", { params: { file_id: second } })).status, 200)
        assert.isDefined(await contentOf(world, second))
        return answer
      }
    },
    {
      name: "of many at once one succeeds",
      status: 200,
      run: async (world) => {
        const id = await newFile(world)
        const answers = await Promise.all(Array.from({ length: 8 }, () => remove(world, id)))
        const statuses = answers.map(({ status }) => status).sort()
        assert.deepEqual(statuses, [200, ...Array.from({ length: 7 }, () => 404)])
        return answers.find(({ status }) => status === 200) ?? assert.fail()
      }
    },
    {
      name: "at OpenAI",
      status: 200,
      run: async (world) => {
        const key = await bringKey(world, "well")
        const id = await newFile(world, { query: openai })
        const answer = await remove(world, id, { query: openai })
        assert.deepEqual(answer.json, { id, type: "file_deleted" })
        assert.deepEqual((await world.installation.upstream.useOf(key)).files, [])
        assert.strictEqual((await remove(world, id, { query: openai })).status, 404)
        return answer
      }
    },
    {
      name: "at Anthropic, with the key of the workspace that is named",
      status: 200,
      run: async (world) => {
        const workspace_id = await secondWorkspace(world)
        const query = { provider: "anthropic", workspace_id }
        await bringKey(world, "well", { provider: "anthropic", workspace_id })
        const id = await newFile(world, { key: world.managementKey, query })
        assert.strictEqual((await remove(world, id, { query: { provider: "anthropic" } })).status, 404)
        return remove(world, id, { query })
      }
    },
    {
      name: "60 in any minute, whatever they answer",
      status: 404,
      run: async (world) => {
        const answers = await many(world, 60, world.managementKey)
        assert.isTrue(answers.every(({ status }) => status === 404))
        const limited = await remove(world, params.file_id)
        assert.strictEqual(limited.status, 429)
        assert.strictEqual(limited.json.error.metadata.reason, "rate_limited")
        assert.strictEqual(limited.headers.get("retry-after"), "60")
        assert.deepEqual(limited.json.error.metadata.issues, [
          {
            path: "",
            code: "minute",
            message: "At most 60 of these requests in any 60 s per key; the next one is let in after 60 s"
          }
        ])
        assert.isNotNull(limited.headers.get("ratelimit"))
        world.installation.clock.now += 59_999
        assert.strictEqual((await remove(world, params.file_id)).status, 429)
        world.installation.clock.now += 1
        return remove(world, params.file_id)
      }
    },
    {
      name: "429 comes before 403, and counts for each key alone",
      status: 429,
      run: async (world) => {
        const refusals = await many(world, 60, world.normalKey)
        assert.isTrue(refusals.every(({ status }) => status === 403))
        assert.strictEqual((await remove(world, params.file_id)).status, 404)
        return remove(world, params.file_id, { key: world.normalKey })
      },
      check: reasonIs("rate_limited")
    },
    ...managementOnly("deleteFile", () => ({ params })),
    { name: "unknown", status: 404, run: (world) => remove(world, params.file_id), check: reasonIs("not_found") },
    ...["a.b", "a b", "é", "a/b", "../x", "%00", "x".repeat(257), "gw_file_1\u0000"].map((file_id) => ({
      name: `malformed, without a look into the storage: ${file_id.slice(0, 10)}`,
      status: 404,
      run: async (world: World) => {
        await rememberKeys(world)
        world.installation.faults.break("Files", "FileContents", "Workspaces", "ByokCredentials")
        const stored = await remove(world, file_id)
        const upstream = await remove(world, file_id, { query: openai })
        world.installation.faults.mend()
        assert.strictEqual(upstream.status, 404)
        return stored
      }
    })),
    { name: "256 characters", status: 404, run: (world) => remove(world, "x".repeat(256)) },
    {
      name: "of another account",
      status: 404,
      run: async (world) => {
        const other = await world.other()
        const id = await newFile(other)
        const answer = await remove(world, id)
        assert.strictEqual((await other.call("getFile", { params: { file_id: id } })).status, 200)
        return answer
      }
    },
    {
      name: "in a workspace nobody has",
      status: 404,
      run: async (world) => remove(world, await newFile(world), { query: { workspace_id: unknownId } }),
      check: reasonIs("unknown_workspace")
    },
    {
      name: "in a workspace of another account",
      status: 404,
      run: async (world) => {
        const other = await world.other()
        return remove(world, await newFile(other), { query: { workspace_id: other.workspace_id } })
      },
      check: reasonIs("unknown_workspace")
    },
    {
      name: "that the provider does not have",
      status: 404,
      run: async (world) => {
        await bringKey(world, "well")
        return remove(world, await newFile(world), { query: openai })
      },
      check: reasonIs("not_found")
    },
    {
      name: "the default workspace deleted, and none named",
      status: 400,
      run: async (world) => {
        await withoutDefault(world)
        return remove(world, params.file_id)
      },
      check: reasonIs("default_workspace_deleted")
    },
    refused("deleteFile", "an unknown provider", { params, query: { provider: "OpenAI" } }, { path: "query.provider" }),
    refused(
      "deleteFile",
      "a workspace_id that is none",
      { params, query: { workspace_id: "" } },
      { path: "query.workspace_id" }
    ),
    refused(
      "deleteFile",
      "a provider given twice",
      { params, query: "provider=openai&provider=openai" },
      { path: "query.provider" }
    ),
    ...credentialCases((world) => remove(world, "file-1", { query: openai })),
    ...providerFails((world) => remove(world, "file-1", { query: openai })),
    interrupted("FileContents", "file_storage_unavailable"),
    interrupted("Files", "store_unavailable"),
    storeGone("Workspaces", 503, (world) => remove(world, params.file_id, { query: { workspace_id: unknownId } })),
    storeGone("RequestCounts", 503, (world) => remove(world, params.file_id)),
    storeGone("ByokCredentials", 503, (world) => remove(world, params.file_id, { query: openai })),
    outcomeUnknown("Files", (world) => remove(world, params.file_id))
  ]
}
