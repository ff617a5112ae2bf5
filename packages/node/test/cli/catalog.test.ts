/** Catalogs of models, at the start and by a command. */
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { readdir, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { managementKey } from "../../../conformance/src/server/serverProcess.ts"
import { gatewardenHere, run, server, temporaryDirectory } from "../gatewarden.ts"

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
      assert.deepStrictEqual(JSON.parse(put.stdout), { models: 2, endpoints: 0 })
      assert.strictEqual(yield* endpointsOf(url, "acme/later"), 200)
    })
  )

  it.live("is the sample in an embedded store that the start creates, unless there is another or none is wanted", () =>
    Effect.gen(function* () {
      const directory = yield* temporaryDirectory
      const own = join(directory, "own.json")
      yield* Effect.promise(() => writeFile(own, JSON.stringify({ models: [model("acme/own")] })))
      const statusAfter = (name: string, environment: Readonly<Record<string, string>>) =>
        Effect.gen(function* () {
          const { url } = yield* server({
            dataDirectory: join(directory, name),
            environment: { DATABASE_URL: "", ...environment }
          })
          return yield* endpointsOf(url, "openai/gpt-4o-mini")
        }).pipe(Effect.scoped)
      assert.strictEqual(yield* statusAfter("none", { GATEWARDEN_SAMPLE_CATALOG: "0" }), 404)
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
        ['{"models":[{}]}', "is not usable"]
      ] as const) {
        if (text !== undefined) yield* Effect.promise(() => writeFile(path, text))
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
