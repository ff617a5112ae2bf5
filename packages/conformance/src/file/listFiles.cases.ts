import { assert } from "@effect/vitest"
import type { Answer, Call, World } from "../World.ts"
import { accessCases, type Case, type CasesOf, outcomeUnknown, reasonIs, refused, storeGone } from "../http/Case.ts"
import { withoutDefault } from "../http/withoutDefault.ts"
import {
  bringKey,
  credentialCases,
  failingBehaviours,
  newFile,
  providerFails,
  publicClient,
  secondWorkspace,
  unknownId
} from "./fileCases.ts"

const openai = { provider: "openai" }

const list = (world: World, query: Record<string, string> = {}, call: Call = {}): Promise<Answer> =>
  world.call("listFiles", { query, ...call })

const idsOf = ({ json }: Answer): readonly string[] => json.data.map(({ id }: { readonly id: string }) => id)

/** Files of one instant each, two of them of the same. */
const fiveFiles = async (world: World, call: Call = {}): Promise<readonly string[]> => {
  const ids: string[] = []
  for (const step of [0, 5, 5, 0, 5]) {
    world.installation.clock.now += step
    ids.push(await newFile(world, call))
  }
  const same = (at: number) => ids.slice(at, at + 2).sort((a, b) => (a < b ? -1 : 1))
  return [...ids.slice(0, 1), ids[1] ?? "", ...same(2), ids[4] ?? ""]
}

/** All pages from the first, each reached as `next` says. */
const allPages = async (
  world: World,
  query: Record<string, string>,
  next: (page: Answer) => Record<string, string>
): Promise<readonly (readonly string[])[]> => {
  const pages: (readonly string[])[] = []
  let page = await list(world, query)
  for (;;) {
    assert.strictEqual(page.status, 200, page.text)
    const ids = idsOf(page)
    assert.deepInclude(page.json, { first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null })
    assert.strictEqual(page.json.cursor !== null, page.json.has_more)
    pages.push(ids)
    if (!page.json.has_more) return pages
    page = await list(world, { ...query, ...next(page) })
  }
}

const issueAt =
  (path: string, code: string) =>
  ({ json }: Answer): void => {
    assert.strictEqual(json.error.metadata.reason, "invalid_request")
    assert.deepInclude(json.error.metadata.issues[0], { path, code })
  }

const pages: readonly Case[] = [
  {
    name: "no files",
    status: 200,
    run: (world) => list(world),
    check: ({ json }) =>
      assert.deepEqual(json, { data: [], first_id: null, last_id: null, has_more: false, cursor: null })
  },
  {
    name: "each as it is read alone",
    status: 200,
    run: async (world) => {
      await newFile(world)
      return list(world, { order: "asc" })
    },
    check: async (answer, world) => {
      const [file] = answer.json.data
      assert.deepEqual(file, (await world.call("getFile", { params: { file_id: file.id } })).json)
    }
  },
  {
    name: "the oldest first, page after page, however the next one is asked for",
    status: 200,
    run: async (world) => {
      const ids = await fiveFiles(world)
      const expected = [ids.slice(0, 2), ids.slice(2, 4), ids.slice(4)]
      const two = { limit: "2" }
      assert.deepEqual(await allPages(world, two, ({ json }) => ({ cursor: json.cursor })), expected)
      assert.deepEqual(await allPages(world, two, ({ json }) => ({ after: json.last_id })), expected)
      assert.deepEqual(await allPages(world, two, ({ json }) => ({ after_id: json.last_id })), expected)
      assert.deepEqual(
        await allPages(world, { limit: "1" }, ({ json }) => ({ cursor: json.cursor })),
        ids.map((id) => [id])
      )
      assert.deepEqual(idsOf(await list(world, { after: ids[4] ?? "" })), [])
      return list(world, { limit: "5" })
    },
    check: ({ json }) => assert.deepInclude(json, { has_more: false, cursor: null })
  },
  {
    name: "a cursor goes before the ids that came with it, as the public client sends them",
    status: 200,
    run: async (world) => {
      const ids = await fiveFiles(world)
      const first = await list(world, { after: ids[0] ?? "", limit: "2" })
      const next = await list(world, { after: ids[0] ?? "", limit: "2", cursor: first.json.cursor })
      assert.deepEqual([idsOf(first), idsOf(next)], [ids.slice(1, 3), ids.slice(3, 5)])
      return next
    }
  },
  {
    name: "a cursor outlives the file that it was made of",
    status: 200,
    run: async (world) => {
      const ids = await fiveFiles(world)
      const { json } = await list(world, { limit: "2" })
      await world.call("deleteFile", { params: { file_id: ids[1] ?? "" } })
      const next = await list(world, { cursor: json.cursor })
      assert.deepEqual(idsOf(next), ids.slice(2))
      return next
    }
  },
  {
    name: "of the caller's workspace alone, deleted ones left out",
    status: 200,
    run: async (world) => {
      const query = { workspace_id: await secondWorkspace(world) }
      const there = await newFile(world, { key: world.managementKey, query })
      const [here, gone] = [await newFile(world), await newFile(world)]
      await newFile(await world.other())
      await world.call("deleteFile", { params: { file_id: gone } })
      assert.deepEqual(idsOf(await list(world, query, { key: world.managementKey })), [there])
      assert.deepEqual(idsOf(await list(world, {}, { key: world.managementKey })), [here])
      const own = await list(world)
      assert.deepEqual(idsOf(own), [here])
      return own
    }
  },
  {
    name: "the public client is told the shape of the list and of each file",
    status: 200,
    run: async (world) => {
      await newFile(world)
      return list(world, {}, { headers: publicClient })
    },
    check: ({ json }) => assert.deepEqual([json._shape, json.data[0]._shape], ["openrouter", "openrouter"])
  },
  {
    name: "OpenAI's client gets OpenAI's shape, of all operations",
    status: 200,
    run: async (world) => {
      const headers = { "user-agent": "OpenAI/JS 6.49.0" }
      const id = await newFile(world)
      const [read, listed, uploaded] = await Promise.all([
        world.send("GET", `/files/${id}`, { headers }),
        world.send("GET", "/files", { headers }),
        world.send("POST", "/files", { headers, body: oneFile() })
      ])
      const created_at = Math.floor(world.installation.clock.now / 1000)
      const shape = {
        object: "file",
        bytes: 5,
        created_at,
        filename: "notes.txt",
        purpose: "user_data",
        status: "processed"
      }
      assert.deepEqual(read.json, { id, ...shape })
      assert.deepEqual(uploaded.json, { ...shape, id: uploaded.json.id })
      assert.deepEqual(listed.json.data[0], { id, ...shape })
      assert.deepEqual(Object.keys(listed.json), ["object", "data", "first_id", "last_id", "has_more"])
      const deleted = await world.send("DELETE", `/files/${id}`, { headers })
      assert.deepEqual(deleted.json, { id, object: "file", deleted: true })
      return list(world)
    }
  },
  ...["openai", "anthropic"].map((provider): Case => ({
    name: `those of ${provider}, page after page`,
    status: 200,
    run: async (world) => {
      await bringKey(world, "making", { provider })
      await newFile(world)
      const query = { provider }
      const ids = ["file-made", await newFile(world, { query }), await newFile(world, { query })]
      const expected = [ids.slice(0, 2), ids.slice(2)]
      const two = { ...query, limit: "2" }
      assert.deepEqual(await allPages(world, two, ({ json }) => ({ cursor: json.cursor })), expected)
      assert.deepEqual(await allPages(world, two, ({ json }) => ({ after: json.last_id })), expected)
      const all = await list(world, query)
      const [made, uploaded] = all.json.data
      assert.deepInclude(made, { filename: "report.csv", mime_type: "text/csv", downloadable: true })
      assert.strictEqual(uploaded.downloadable, false)
      return all
    }
  }))
]

const oneFile = (): FormData => {
  const form = new FormData()
  form.append("file", new Blob(["Hello"]), "notes.txt")
  return form
}

const rejected: readonly Case[] = [
  ...accessCases("listFiles", () => ({})),
  ...["0", "1001", "1.5", "many", ""].map((limit) =>
    refused("listFiles", `a limit of "${limit}"`, { query: { limit } }, { path: "query.limit" })
  ),
  refused("listFiles", "backwards", { query: { before_id: "gw_file_1" } }, { path: "query.before_id" }),
  refused("listFiles", "the latest first", { query: { order: "desc" } }, { path: "query.order" }),
  refused("listFiles", "an unknown provider", { query: { provider: "google" } }, { path: "query.provider" }),
  refused("listFiles", "a workspace_id that is none", { query: { workspace_id: "x" } }, { path: "query.workspace_id" }),
  ...["a.b", "", "x".repeat(301), "a b"].map((cursor) =>
    refused("listFiles", `the cursor "${cursor.slice(0, 5)}"`, { query: { cursor } }, { path: "query.cursor" })
  ),
  ...["gw_file_1", "abc", "zzzzzzzzzzz_a", "-1_a", "_a"].map((cursor): Case => ({
    name: `a cursor that nobody was given: ${cursor}`,
    status: 400,
    run: (world) => list(world, { cursor }),
    check: issueAt("query.cursor", "unknown_file")
  })),
  ...["after", "after_id"].map((name): Case => ({
    name: `${name} that no file, or one of others, has`,
    status: 400,
    run: async (world) => {
      const query = { workspace_id: await secondWorkspace(world) }
      const [foreign, there] = [
        await newFile(await world.other()),
        await newFile(world, { key: world.managementKey, query })
      ]
      const answers = await Promise.all([foreign, there, "gw_file_1"].map((id) => list(world, { [name]: id })))
      const said = new Set(answers.map(({ json }) => JSON.stringify(json.error.metadata.issues)))
      assert.strictEqual(said.size, 1)
      return answers[0] ?? assert.fail()
    },
    check: issueAt(`query.${name}`, "unknown_file")
  })),
  {
    name: "after a file that the provider does not have",
    status: 400,
    run: async (world) => {
      await bringKey(world, "well")
      return list(world, { ...openai, after: "file-0" })
    },
    check: issueAt("query.after", "unknown_file")
  },
  {
    name: "the default workspace deleted, and none named",
    status: 400,
    run: async (world) => {
      await withoutDefault(world)
      return list(world, {}, { key: world.managementKey })
    },
    check: reasonIs("default_workspace_deleted")
  },
  {
    name: "a workspace nobody has",
    status: 404,
    run: (world) => list(world, { workspace_id: unknownId }, { key: world.managementKey }),
    check: reasonIs("unknown_workspace")
  },
  {
    name: "another workspace than the API key's",
    status: 404,
    run: async (world) => list(world, { workspace_id: await secondWorkspace(world) }),
    check: reasonIs("not_found")
  },
  ...credentialCases((world) => list(world, openai)),
  ...providerFails(
    (world) => list(world, { ...openai, limit: "2", after: "file-1" }),
    [...failingBehaviours, "stuck", "lavish", "circling", "foul"]
  ),
  storeGone("Files", 503, (world) => list(world)),
  outcomeUnknown("Files", (world) => list(world))
]

export const listFiles: CasesOf = { operation: "listFiles", cases: [...pages, ...rejected] }
