/** What is published is what a stranger can install: packed, unpacked outside of this repository, compiled strictly and run. */
import { afterAll, assert, beforeAll, describe, it } from "@effect/vitest"
import { execFile } from "node:child_process"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { gzipSync } from "node:zlib"
import { build } from "esbuild"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { type Consumer, makeConsumer } from "@gatewarden/testkit/publishing/consumer"
import { type PackedPackage, packPackages } from "@gatewarden/testkit/publishing/packPackages"
import { publishedPackages, repository } from "@gatewarden/testkit/publishing/publishedPackages"

const attw = join(
  dirname(createRequire(import.meta.url).resolve("@arethetypeswrong/cli/package.json")),
  "dist/index.js"
)

let folder: string
let packed: readonly PackedPackage[]
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "gatewarden-packed-"))
  packed = await packPackages(folder)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

const packedOf = (name: string): PackedPackage =>
  packed.find(({ manifest }) => manifest.name === name) ?? assert.fail(`${name} was not packed`)

describe("what is packed", () => {
  it("is every package that is published", () => {
    assert.sameMembers(
      packed.map(({ manifest }) => manifest.name),
      publishedPackages.map(({ manifest }) => manifest.name)
    )
  })
})

describe("what is packed of", () => {
  for (const { manifest } of publishedPackages)
    describe(manifest.name, () => {
      it("is what runs, its declarations and who we are, and nothing else", () => {
        const { files } = packedOf(manifest.name)
        assert.includeMembers([...files], ["LICENSE", "README.md", "package.json"])
        const others = files.filter(
          (file) => !/^(?:LICENSE|README\.md|package\.json|dist\/.*\.(?:js|d\.ts)|bin\/.*\.js)$/.test(file)
        )
        // A database of the schema, the licenses of what is in bundles, Swagger UI, the sample catalog, and the host that the demonstration shows.
        const known =
          /^dist\/(?:prepared\/\w{32}\.gz|(?:executable|bundled)\/LICENSES\.txt|swagger-ui\/(?:swagger-ui[\w.-]+|LICENSE|NOTICE))$|^src\/(?:server\/sampleCatalog\.json|demo\/host\.ts)$/
        assert.deepEqual(
          others.filter((file) => !known.test(file)),
          []
        )
      })

      it("is small: in bytes, in files, in any declaration", () => {
        const { files, bytesOf, unpackedSize } = packedOf(manifest.name)
        assert.isBelow(unpackedSize, manifest.name === "@gatewarden/node" ? 9_000_000 : 5_500_000)
        assert.isBelow(files.length, 500)
        const declarations = files.filter((file) => file.endsWith(".d.ts") && (bytesOf.get(file) ?? 0) > 200_000)
        assert.deepEqual(declarations, [])
      })

      it("says nothing of how this repository builds and tests it", async () => {
        const { release } = packedOf(manifest.name)
        const text = await readFile(join(release, "package.json"), "utf8")
        assert.notMatch(text, /@gatewarden\/(?:source|compiled)|\/\*"|"scripts"|devDependencies/)
        assert.deepInclude(JSON.parse(text), { publishConfig: { access: "public", provenance: true } })
        // Every module exists once: in a bundle or by itself.
        if (["@gatewarden/contract", "@gatewarden/core"].includes(manifest.name))
          assert.deepEqual(
            packedOf(manifest.name).files.filter((file) => /^dist\/(?!bundled\/).*\.js$/.test(file)),
            []
          )
      })

      it("is what publint approves of", async () => {
        const tarball = await readFile(packedOf(manifest.name).tarball)
        const { messages, pkg } = await publint({
          strict: true,
          pack: { tarball: Uint8Array.from(tarball).buffer }
        })
        assert.deepEqual(
          messages.map((message) => formatMessage(message, pkg)),
          []
        )
      })

      it("has types that are right", async () => {
        const args = [attw, packedOf(manifest.name).tarball, "--profile", "esm-only", "--no-definitely-typed"]
        const run = promisify(execFile)(process.execPath, [...args, "--format", "ascii", "--no-color"])
        await run.catch((cause: { readonly stdout?: string }) => assert.fail(cause.stdout))
      })
    })
})

/** A host that uses every Promise door. */
const host = `
import { type Client, createClient } from "@gatewarden/client"
import { createGatewarden, type Gatewarden, memory, type Store } from "@gatewarden/core"
import { type NodeHandler, toNodeHandler } from "@gatewarden/node"
import { postgres } from "@gatewarden/postgres"
import { pglite } from "@gatewarden/postgres/pglite"

export const stores: readonly (() => Store)[] = [memory, pglite, () => postgres({ url: "postgres://127.0.0.1/none" })]
const gatewarden: Gatewarden = await createGatewarden({ store: memory() })
export const handler: NodeHandler = toNodeHandler(gatewarden)
const client: Client = createClient({ fetch: gatewarden.fetch, key: gatewarden.generatedKey })
const { status, body } = await client.call("getWorkspace", { params: { id: "default" } })
console.log(status, body.data.slug)
await gatewarden.close()
`

/** A host that uses every Effect door. */
const effectHost = `
import { layerMemory, layerRoutes, defaultSettings } from "@gatewarden/core/effect"
import { startServer } from "@gatewarden/node/effect"
import { layerPostgresStore } from "@gatewarden/postgres/effect"
import { Layer } from "effect"

export const routes = layerRoutes(defaultSettings)
export const store: Layer.Layer<Layer.Success<typeof layerMemory>> = layerMemory
export { layerPostgresStore, startServer }
`

/** Compares what Node takes of a package with what others take, and looks for what a bundle loads in whole. */
const namesOfBundles = `
import { readdir, readFile } from "node:fs/promises"
const different = [], indexes = []
for (const name of ["contract", "core"]) {
  const root = new URL("node_modules/@gatewarden/" + name + "/", import.meta.url)
  const { exports } = JSON.parse(await readFile(new URL("package.json", root)))
  for (const entry of Object.values(exports)) {
    const [lazy, whole] = await Promise.all([entry.node ?? entry.default, entry.default].map(async (path) => Object.keys(await import(new URL(path, root)))))
    if (lazy.length === 0 || lazy.join() !== whole.join()) different.push(entry.node)
  }
  const folder = new URL("dist/bundled/", root)
  for (const file of await readdir(folder))
    if (file.endsWith(".js") && /from "effect(?:\\/http)?"/.test(await readFile(new URL(file, folder), "utf8"))) indexes.push(file)
}
console.log(JSON.stringify({ different, indexes }))
`

/** A store or a host of others under our suites. */
const suite = `
import { apiKeysSuite, fetchDoor, httpSuite } from "@gatewarden/conformance"
import { layerMemory } from "@gatewarden/core/effect"

httpSuite("a store of others", () => ({ store: layerMemory, door: fetchDoor }))
apiKeysSuite("a store of others", () => layerMemory)
`

const node = { target: "ES2023", module: "NodeNext", types: ["node"] }
const bundler = { target: "ES2023", module: "ESNext", moduleResolution: "Bundler" }

describe("a project that installed the packages", () => {
  describe("without Effect's types", () => {
    let consumer: Consumer
    beforeAll(async () => {
      consumer = await makeConsumer(packed)
      await Promise.all(["zod", "@types/node", "undici-types"].map(consumer.link))
      await consumer.write("main.ts", host)
    })
    afterAll(() => consumer?.remove())

    it("compiles against the Promise doors as a module of Node", async () => {
      assert.strictEqual(await consumer.compile({ ...node, lib: ["ES2023"], skipLibCheck: false }), "")
    })

    it("compiles against the Promise doors for a bundler", async () => {
      const options = { ...bundler, lib: ["ES2023", "DOM"], types: ["node"], skipLibCheck: false }
      assert.strictEqual(await consumer.compile(options), "")
    })
  })

  describe("with all that they need", () => {
    let consumer: Consumer
    beforeAll(async () => {
      consumer = await makeConsumer(packed)
      const needed = packed.flatMap(({ manifest }) =>
        Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
      )
      const others = new Set(["@types/node", ...needed.filter((name) => !name.startsWith("@gatewarden/"))])
      await Promise.all([...others].map(consumer.link))
    })
    afterAll(() => consumer?.remove())

    it("compiles with the options that hosts usually have, and runs", async () => {
      await consumer.write("main.ts", host)
      assert.strictEqual(await consumer.compile({ ...node, lib: ["ES2023"], skipLibCheck: true }), "")
      assert.deepEqual(await consumer.node("main.js"), { stdout: "200 default\n", stderr: "" })
    })

    it("has the same names on Node and elsewhere, and loads no more of effect than it uses", async () => {
      await consumer.write("names.js", namesOfBundles)
      assert.deepEqual(JSON.parse((await consumer.node("names.js")).stdout), { different: [], indexes: [] })
    })

    it("fits a Worker, which has nothing of Node", async () => {
      const entry = await readFile(`${repository}examples/embed-worker/src/worker.ts`, "utf8")
      await consumer.write("worker.ts", entry)
      const { outputFiles, metafile } = await build({
        entryPoints: [join(consumer.path, "worker.ts")],
        bundle: true,
        write: false,
        minify: true,
        metafile: true,
        format: "esm",
        platform: "browser",
        conditions: ["workerd", "worker", "browser"]
      })
      assert.deepEqual(
        Object.values(metafile.outputs).flatMap(({ imports }) => imports),
        []
      )
      assert.isBelow(gzipSync(outputFiles[0]?.contents ?? assert.fail()).length, 500_000)
    })

    it("compiles against the Effect doors", async () => {
      await consumer.write("main.ts", effectHost)
      assert.strictEqual(await consumer.compile({ ...node, lib: ["ES2023"], skipLibCheck: true }), "")
    })

    it("has the command line", async () => {
      const { stdout } = await consumer.node("node_modules/@gatewarden/node/bin/gatewarden.js", "--help")
      assert.match(stdout, /\bserve\b/)
    })

    it("runs our suites", async () => {
      await consumer.write("main.ts", suite)
      assert.strictEqual(await consumer.compile({ ...node, lib: ["ES2023"], skipLibCheck: true }), "")
      await consumer.write("store.test.js", 'import "./main.js"')
      const { stdout } = await consumer.node(
        "node_modules/vitest/vitest.mjs",
        "run",
        "-t",
        "getWorkspace|API keys",
        "--reporter=verbose",
        "--no-color"
      )
      assert.match(stdout, /Tests {2}\d+ passed \|/)
      for (const ran of ["getWorkspace", "API keys: a store of others"]) assert.include(stdout, ran)
    })
  })
})
