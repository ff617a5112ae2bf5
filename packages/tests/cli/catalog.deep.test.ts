/** Catalogs of models, at the start and by a command. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdir, truncate, writeFile } from "node:fs/promises"
import { once } from "node:events"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { commandLine, gateway, managementKey } from "@gatewarden/testkit/server/serverProcess"
import { gatewardenHere, run, server, temporaryDirectory } from "./gatewarden.ts"

describe("gatewarden catalog", () => {
  const model = (id: string) => ({
    id,
    name: id,
    created: 1_700_000_000,
    architecture: {
      input_modalities: ["text"],
      output_modalities: ["text"],
      modality: null,
      instruct_type: null,
      tokenizer: null
    },
    endpoints: []
  })

  const endpointsOf = (url: string, id: string) =>
    Effect.promise(
      async () =>
        (
          await fetch(`${url}/models/${id}/endpoints`, {
            headers: { authorization: `Bearer ${managementKey}` }
          })
        ).status
    )

  it.live("is put at start and by a command, also while a server holds the store", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const write = (name: string, ...ids: readonly string[]) =>
        Effect.promise(async () => {
          const path = join(directory, name)
          await writeFile(path, JSON.stringify({ models: ids.map(model) }))
          return path
        })
      const dataDirectory = join(directory, "data")
      const { url } = yield* server({
        dataDirectory,
        environment: { DATABASE_URL: "", GATEWARDEN_CATALOG: yield* write("start.json", "acme/at-start") }
      })
      assert.strictEqual(yield* endpointsOf(url, "acme/at-start"), 200)
      assert.strictEqual(yield* endpointsOf(url, "acme/later"), 404)
      const put = yield* run(["catalog", "import", yield* write("later.json", "acme/later", "acme/more"), "--json"], {
        GATEWARDEN_DATA_DIR: dataDirectory
      })
      assert.strictEqual(put.code, 0, put.stderr)
      assert.deepStrictEqual(JSON.parse(put.stdout), {
        ...{ models: 2, endpoints: 0, added: ["acme/later", "acme/more"], changed: [], unchanged: 0 },
        ...{ skipped: [], dry_run: false }
      })
      assert.strictEqual(yield* endpointsOf(url, "acme/later"), 200)
    })
  )

  const listed = (id: string, prompt: string, more: object = {}) => ({
    ...{ id, canonical_slug: id, name: id, created: 1_700_000_000, description: "", context_length: 1_000 },
    architecture: { input_modalities: ["text"], output_modalities: ["text"], tokenizer: null, instruct_type: null },
    ...{ pricing: { prompt, completion: "0.000002", request: "0" }, supported_parameters: ["max_tokens"] },
    ...{ top_provider: { context_length: 1_000, max_completion_tokens: 100, is_moderated: false }, links: {} },
    ...more
  })

  it.live("takes a public model list from a file or a URL, says what would change, and keeps other endpoints", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const dataDirectory = join(directory, "data")
      const file = join(directory, "list.json")
      const write = (...data: readonly object[]) =>
        Effect.promise(() => writeFile(file, JSON.stringify({ data, total_count: data.length })))
      const { url } = yield* server({ dataDirectory, environment: { DATABASE_URL: "" } })
      const importing = (source: string, ...flags: readonly string[]) =>
        run(["catalog", "import", source, "--json", ...flags], {
          GATEWARDEN_DATA_DIR: dataDirectory,
          GATEWARDEN_ALLOW_PRIVATE_NETWORKS: "1"
        })
      const answered = (result: { readonly code: number | null; readonly stdout: string; readonly stderr: string }) => {
        assert.strictEqual(result.code, 0, result.stderr)
        return JSON.parse(result.stdout) as unknown
      }
      yield* write(
        listed("openai/gpt-4o-mini", "0.0000001"),
        listed("openai/gpt-9", "0.000001"),
        listed("nobody/knows", "0.000001")
      )
      const told = {
        ...{ models: 2, endpoints: 3, added: ["openai/gpt-9"], unchanged: 0, skipped: ["nobody/knows"] },
        changed: [
          {
            id: "openai/gpt-4o-mini",
            fields: [
              ...["created", "name", "architecture", "description"],
              ...["context_length", "max_completion_tokens", "pricing", "supported_parameters"].map(
                (field) => `endpoints.openai.${field}`
              )
            ]
          }
        ]
      }
      const sorted = (answer: unknown) => {
        const { changed, ...rest } = answer as typeof told
        return { ...rest, changed: changed.map(({ id, fields }) => ({ id, fields: [...fields].sort() })) }
      }
      assert.deepInclude(sorted(answered(yield* importing(file, "--dry-run"))), sorted({ ...told }))
      assert.strictEqual(yield* endpointsOf(url, "openai/gpt-9"), 404, "a dry run writes nothing")
      assert.deepInclude(sorted(answered(yield* importing(file))), sorted({ ...told }))
      const endpoints = yield* Effect.promise(async () => {
        const response = await fetch(`${url}/models/openai/gpt-4o-mini/endpoints`, {
          headers: { authorization: `Bearer ${managementKey}` }
        })
        const { data } = (await response.json()) as {
          readonly data: { readonly endpoints: readonly { readonly tag: string; readonly pricing: object }[] }
        }
        return data.endpoints.map(({ tag, pricing }) => [tag, (pricing as { readonly prompt: string }).prompt])
      })
      assert.deepEqual(endpoints, [
        ["openai", "0.0000001"],
        ["openai/eu", "0.00000015"]
      ])
      const site = createServer((_, response) =>
        response.end(JSON.stringify({ data: [listed("openai/gpt-9", "0.1")] }))
      )
      yield* Effect.promise(() => once(site.listen(0, "127.0.0.1"), "listening"))
      const { port } = site.address() as AddressInfo
      const downloaded = yield* importing(`http://127.0.0.1:${port}/models`, "--dry-run")
      site.close()
      assert.deepInclude(answered(downloaded), {
        changed: [{ id: "openai/gpt-9", fields: ["endpoints.openai.pricing"] }]
      })
      const all = answered(yield* importing(file, "--provider", "together")) as {
        readonly skipped: readonly string[]
        readonly added: readonly string[]
      }
      assert.deepEqual([all.skipped, all.added], [[], ["nobody/knows"]])
    })
  )

  it.live("is not read from a private address, unless the installation allows it", () =>
    Effect.gen(function* () {
      const { url, dataDirectory } = yield* server({ environment: {} })
      const { code, stderr } = yield* run(["catalog", "import", `${url}/models`], {
        DATABASE_URL: "memory:",
        GATEWARDEN_DATA_DIR: dataDirectory
      })
      assert.strictEqual(code, 1)
      assert.include(stderr, "cannot be read: no public address")
    })
  )

  it.live("is the sample in an embedded store that the start creates, unless there is another or none is wanted", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const own = join(directory, "own.json")
      yield* Effect.promise(() => writeFile(own, JSON.stringify({ models: [model("acme/own")] })))
      const statusAfter = (name: string, environment: Readonly<Record<string, string>>, ...flags: readonly string[]) =>
        Effect.gen(function* () {
          const { url } = yield* server({
            program: { ...gateway, command: [commandLine, "serve", ...flags] },
            dataDirectory: join(directory, name),
            environment: { DATABASE_URL: "", ...environment }
          })
          return yield* endpointsOf(url, "openai/gpt-4o-mini")
        }).pipe(Effect.scoped)
      assert.strictEqual(yield* statusAfter("none", {}, "--no-sample"), 404)
      assert.strictEqual(yield* statusAfter("none", {}), 404, "a store of an earlier start")
      assert.strictEqual(yield* statusAfter("own", { GATEWARDEN_CATALOG: own }), 404)
      assert.strictEqual(yield* statusAfter("new", {}), 200)
    })
  )

  it.live("is refused before anything is opened: as a setting with 78, as a file of the command with 1", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const path = join(directory, "catalog.json")
      const environment = { GATEWARDEN_CATALOG: path, GATEWARDEN_DATA_DIR: join(directory, "data") }
      for (const [text, line] of [
        [undefined, "cannot be read (ENOENT)"],
        ["{", "is not JSON"],
        ['{"models":[],"models":[]}', "is not JSON"],
        ['{"models":[{}]}', "is not usable"],
        ["longer than it may be", "has more than 64 MiB"]
      ] as const) {
        if (text !== undefined) yield* Effect.promise(() => writeFile(path, text))
        if (line.startsWith("has more")) yield* Effect.promise(() => truncate(path, 64 * 1_024 * 1_024 + 1))
        for (const [expected, args, set] of [
          [78, ["serve"], environment],
          [1, ["catalog", "import", path], { GATEWARDEN_DATA_DIR: environment.GATEWARDEN_DATA_DIR }]
        ] as const) {
          const { code, stdout, stderr } = yield* gatewardenHere(args, set)
          assert.strictEqual(code, expected, `${text}: ${stderr}`)
          assert.strictEqual(stdout, "")
          assert.include(stderr, `gatewarden: The catalog ${path} ${line}`)
        }
      }
      assert.notInclude(yield* Effect.promise(() => readdir(directory)), "data")
    })
  )
})
