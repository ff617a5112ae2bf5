import { assert } from "@effect/vitest"
import { FileContents, Files } from "@gatewarden/core/store"
import { Effect, Stream } from "effect"
import type { Answer, World } from "../World.ts"
import { accessCases, type Case, type CasesOf, outcomeUnknown, reasonIs, refused, storeGone } from "../http/Case.ts"
import { formOf, otherContents, sampleFiles, sentName } from "./fileBytes.ts"
import {
  bringKey,
  contentOf,
  credentialCases,
  newFile,
  removeStale,
  providerFails,
  publicClient,
  secondWorkspace,
  unknownId,
  upload
} from "./fileCases.ts"
import { withoutDefault } from "../http/withoutDefault.ts"

const openai = { provider: "openai" }

const multipart = (world: World, parts: string, type = "multipart/form-data; boundary=edge"): Promise<Answer> =>
  upload(world, { body: new TextEncoder().encode(parts), headers: { "content-type": type } })

const part = (disposition: string, content: string): string =>
  `--edge\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`

const badFile = (name: string, code: string, run: Case["run"]): Case => ({
  name,
  status: 400,
  run,
  check: ({ json }) => {
    assert.strictEqual(json.error.metadata.reason, "invalid_file")
    assert.deepInclude(json.error.metadata.issues[0], { path: "file", code })
  }
})

const accepted: readonly Case[] = [
  {
    name: "a text file, in the caller's workspace",
    status: 200,
    run: (world) => upload(world),
    check: async (answer, world) => {
      const { id, ...file } = answer.json
      assert.match(id, /^gw_file_[0-9A-Za-z]{24}$/)
      assert.deepEqual(file, {
        type: "file",
        filename: "notes.txt",
        mime_type: "text/plain",
        size_bytes: 5,
        created_at: new Date(world.installation.clock.now).toISOString(),
        downloadable: false
      })
      assert.strictEqual((await world.call("getFile", { params: { file_id: id } })).text, answer.text)
      assert.deepEqual(await contentOf(world, id), new TextEncoder().encode("Hello"))
    }
  },
  ...sampleFiles.map(({ name, content, type }): Case => ({
    name: `${type}: ${name}`,
    status: 200,
    run: (world) => upload(world, { body: formOf(name, content) }),
    check: ({ json }) =>
      assert.deepInclude(json, { mime_type: type, filename: name, size_bytes: content.length, type: "file" })
  })),
  {
    name: "several pieces of content are put together again",
    status: 200,
    run: (world) => upload(world, { body: formOf("large.txt", "0123456789abcde\n".repeat(200_000)) }),
    check: async ({ json }, world) => {
      const content = await contentOf(world, json.id)
      assert.strictEqual(json.size_bytes, 3_200_000)
      assert.strictEqual(new TextDecoder().decode(content), "0123456789abcde\n".repeat(200_000))
    }
  },
  {
    name: "what the sender says of the type is not believed",
    status: 200,
    run: (world) =>
      multipart(
        world,
        `--edge\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\nContent-Type: image/png\r\n\r\ntext\r\n--edge--\r\n`
      ),
    check: ({ json }) => assert.deepInclude(json, { mime_type: "text/plain", filename: "a.png" })
  },
  ...[
    "../../etc/passwd",
    "x".repeat(255),
    "🙂".repeat(255),
    'say "hi"; filename=b.txt',
    "naïve 日本.txt",
    "a/b\\c",
    " ",
    "__proto__"
  ].map((name): Case => ({
    name: `a file named ${name.length > 60 ? `${name.slice(0, 4)}… (${name.length})` : name}`,
    status: 200,
    run: (world) => upload(world, { body: formOf(name, "x") }),
    check: async ({ json }, world) => {
      const read = await world.call("getFile", { params: { file_id: json.id } })
      assert.strictEqual(read.json.filename, json.filename)
      assert.strictEqual(json.filename, await sentName(name))
    }
  })),
  {
    name: "in a form with a boundary of 70 characters",
    status: 200,
    run: (world) => {
      const boundary = "b".repeat(70)
      const form = `${part('name="file"; filename="a"', "x")}--edge--\r\n`.replaceAll("edge", boundary)
      return multipart(world, form, `multipart/form-data; charset=utf-8; boundary="${boundary}"; x=y`)
    }
  },
  {
    name: "beside other fields",
    status: 200,
    run: (world) => {
      const form = formOf("a.txt", "x")
      form.append("purpose", "assistants")
      form.append("other", new Blob(["y"]), "y.txt")
      return upload(world, { body: form })
    },
    check: ({ json }) => assert.strictEqual(json.filename, "a.txt")
  },
  {
    name: "the same content twice is two files",
    status: 200,
    run: async (world) => {
      const first = await newFile(world)
      const second = await upload(world)
      assert.notStrictEqual(second.json.id, first)
      return second
    }
  },
  {
    name: "an Idempotency-Key makes one file",
    status: 200,
    run: async (world) => {
      const headers = { "idempotency-key": "once" }
      const first = await newFile(world, { headers })
      const second = await upload(world, { headers })
      assert.strictEqual(second.json.id, first)
      return second
    }
  },
  {
    name: "the Idempotency-Key of a file of another name",
    status: 400,
    run: async (world) => {
      const headers = { "idempotency-key": "once" }
      await newFile(world, { headers })
      return upload(world, { headers, body: formOf("other.txt", "Hello") })
    },
    check: reasonIs("idempotency_key_reused")
  },
  {
    name: "the public client is told the shape",
    status: 200,
    run: (world) => upload(world, { headers: publicClient }),
    check: ({ json }) => assert.strictEqual(json._shape, "openrouter")
  },
  {
    name: "others are not",
    status: 200,
    run: (world) => upload(world),
    check: ({ json }) => assert.notProperty(json, "_shape")
  },
  {
    name: "with a management key, in a workspace that it names",
    status: 200,
    run: async (world) => {
      const query = { workspace_id: await secondWorkspace(world) }
      const made = await upload(world, { key: world.managementKey, query })
      const params = { file_id: made.json.id as string }
      assert.strictEqual((await world.call("getFile", { params, key: world.managementKey })).status, 404)
      assert.strictEqual((await world.call("getFile", { params, key: world.managementKey, query })).status, 200)
      return made
    }
  },
  {
    name: "with an API key that names its own workspace",
    status: 200,
    run: (world) => upload(world, { query: { workspace_id: world.workspace_id } })
  },
  {
    name: "to OpenAI, with the workspace's own key",
    status: 200,
    run: async (world) => {
      const key = await bringKey(world, "well")
      const answer = await upload(world, { query: openai, body: formOf("a.pdf", "%PDF-1.7") })
      assert.deepEqual((await world.installation.upstream.useOf(key)).files, [
        [answer.json.id, { filename: "a.pdf", mime_type: "application/pdf", size: 8, fields: { purpose: "user_data" } }]
      ])
      return answer
    },
    check: async (answer, world) => {
      const { id, ...file } = answer.json
      assert.deepEqual(file, {
        type: "file",
        filename: "a.pdf",
        mime_type: "application/pdf",
        size_bytes: 8,
        created_at: "2026-03-01T10:00:00.000Z",
        downloadable: false,
        purpose: "user_data"
      })
      assert.strictEqual((await world.call("getFile", { params: { file_id: id }, query: openai })).text, answer.text)
      assert.strictEqual((await world.call("getFile", { params: { file_id: id } })).status, 404)
    }
  },
  {
    name: "to Anthropic, with a name that is no ASCII",
    status: 200,
    run: async (world) => {
      await bringKey(world, "well", { provider: "anthropic" })
      return upload(world, { query: { provider: "anthropic" }, body: formOf("Grüße.md", "# Hi") })
    },
    check: ({ json }) => assert.deepInclude(json, { filename: "Grüße.md", mime_type: "text/markdown", size_bytes: 4 })
  },
  {
    name: "the first usable credential is used: by order, fallbacks last",
    status: 200,
    run: async (world) => {
      await bringKey(world, "failing", { is_fallback: true })
      await bringKey(world, "refused", { disabled: true })
      await bringKey(world, "limited", { allowed_user_ids: ["user-9"] })
      await bringKey(world, "well", { allowed_user_ids: ["user-1"], allowed_api_key_hashes: [world.normalKeyHash] })
      await bringKey(world, "gone")
      return upload(world, { query: openai })
    }
  },
  {
    name: "a fallback alone is used",
    status: 200,
    run: async (world) => {
      await bringKey(world, "well", { is_fallback: true })
      return upload(world, { query: openai })
    }
  },
  {
    name: "what a broken-off upload left is hidden at once and removed after an hour",
    status: 200,
    run: async (world) => {
      const { installation } = world
      const facts = {
        id: `gw_file_left_${world.account_id}`,
        filename: "left.txt",
        created_at: new Date(installation.clock.now).toISOString()
      }
      await installation.run(
        Effect.gen(function* () {
          yield* (yield* Files).reserve(world.account_id, world.workspace_id, facts)
          yield* (yield* FileContents).put(facts.id, Stream.succeed(new Uint8Array([65])))
        })
      )
      assert.strictEqual((await world.call("getFile", { params: { file_id: facts.id } })).status, 404)
      assert.strictEqual((await world.call("deleteFile", { params: { file_id: facts.id } })).status, 404)
      installation.clock.now += 3_600_000
      await removeStale(world)
      assert.isDefined(await contentOf(world, facts.id))
      installation.clock.now += 1
      await removeStale(world)
      assert.isUndefined(await contentOf(world, facts.id))
      return upload(world)
    }
  },
  {
    name: "the contents of a deleted workspace are removed",
    status: 200,
    run: async (world) => {
      const workspace_id = await secondWorkspace(world)
      const id = await newFile(world, { key: world.managementKey, query: { workspace_id } })
      await world.call("deleteWorkspace", { params: { id: workspace_id } })
      await removeStale(world)
      assert.isUndefined(await contentOf(world, id))
      return upload(world)
    }
  }
]

const rejected: readonly Case[] = [
  ...accessCases("uploadFile", () => ({ body: formOf("a.txt", "x") })),
  badFile("an empty file", "empty", (world) => upload(world, { body: formOf("a.txt", "") })),
  ...Object.entries(otherContents).map(([name, content]) =>
    badFile(name, "unsupported_type", (world) => upload(world, { body: formOf("a.txt", content) }))
  ),
  badFile("a name of 256 characters", "invalid_filename", (world) =>
    upload(world, { body: formOf("é".repeat(256), "x") })
  ),
  badFile("no name", "invalid_filename", (world) =>
    multipart(world, `${part('name="file"; filename=""', "x")}--edge--\r\n`)
  ),
  badFile("a name with a control character", "invalid_filename", (world) =>
    multipart(world, `${part('name="file"; filename="a\u0085b.txt"', "x")}--edge--\r\n`)
  ),
  badFile("no file", "required", (world) => upload(world, { body: formOf("a.txt", "x", "upload") })),
  badFile("a field in place of a file", "required", (world) =>
    multipart(world, `${part('name="file"', "x")}--edge--\r\n`)
  ),
  badFile("two files", "required", (world) => {
    const form = formOf("a.txt", "x")
    form.append("file", new Blob(["y"]), "b.txt")
    return upload(world, { body: form })
  }),
  badFile("a form that breaks off", "invalid_multipart", (world) =>
    multipart(world, part('name="file"; filename="a"', "x"))
  ),
  badFile("a form without a boundary", "invalid_multipart", (world) =>
    multipart(world, `${part('name="file"; filename="a"', "x")}--edge--\r\n`, "multipart/form-data")
  ),
  ...["b".repeat(71), `"${"b".repeat(71)}"`, `"a;${'\\"b'.repeat(40)}"`].map((boundary) =>
    badFile(`a boundary of more than 70 characters, ${boundary.slice(0, 5)}…`, "invalid_multipart", (world) => {
      const sent = boundary.replaceAll(/^"|"$|\\/g, "")
      const form = `${part('name="file"; filename="a"', "x")}--edge--\r\n`.replaceAll("edge", sent)
      return multipart(world, form, `multipart/form-data; boundary=${boundary}`)
    })
  ),
  {
    name: "a field beside the file that is longer than a form may be",
    status: 413,
    run: (world) =>
      multipart(
        world,
        `${part('name="note"', "x".repeat(65_537))}${part('name="file"; filename="a"', "x")}--edge--\r\n`
      )
  },
  badFile("a form of very many parts", "invalid_multipart", (world) =>
    multipart(world, `${part('name="a"', "x").repeat(200)}--edge--\r\n`)
  ),
  refused(
    "uploadFile",
    "a provider that keeps no files",
    { body: formOf("a", "x"), query: { provider: "google" } },
    { path: "query.provider" }
  ),
  refused(
    "uploadFile",
    "an empty provider",
    { body: formOf("a", "x"), query: { provider: "" } },
    { path: "query.provider" }
  ),
  refused(
    "uploadFile",
    "a workspace_id that is none",
    { body: formOf("a", "x"), query: { workspace_id: "x" } },
    { path: "query.workspace_id" }
  ),
  {
    name: "JSON in place of a form",
    status: 415,
    run: (world) => upload(world, { body: { file: "x" } })
  },
  {
    name: "the default workspace deleted, and none named",
    status: 400,
    run: async (world) => {
      await withoutDefault(world)
      return upload(world, { key: world.managementKey })
    },
    check: reasonIs("default_workspace_deleted")
  },
  {
    name: "an API key that names another workspace",
    status: 403,
    run: (world) => upload(world, { query: { workspace_id: unknownId } }),
    check: reasonIs("foreign_workspace")
  },
  {
    name: "an API key that names another workspace: 403 comes before 415 and 400",
    status: 403,
    run: async (world) => {
      const query = { workspace_id: unknownId }
      assert.strictEqual((await upload(world, { query, body: {} })).status, 403)
      return upload(world, { query, body: formOf("a.txt", "") })
    }
  },
  {
    name: "a management key that names a workspace nobody has",
    status: 404,
    run: (world) => upload(world, { key: world.managementKey, query: { workspace_id: unknownId } }),
    check: reasonIs("unknown_workspace")
  },
  ...credentialCases((world) => upload(world, { query: openai })),
  // Which id a new file gets is the provider's to say.
  ...providerFails((world) => upload(world, { query: openai })).filter(({ name }) => !name.endsWith("mistaken")),
  storeGone("Files", 503, (world) => upload(world)),
  storeGone("FileContents", 503, (world) => upload(world)),
  outcomeUnknown("Files", (world) => upload(world))
]

export const uploadFile: CasesOf = { operation: "uploadFile", cases: [...accepted, ...rejected] }
