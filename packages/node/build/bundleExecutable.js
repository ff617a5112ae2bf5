// @ts-check
/**
 * The modules of the executable in one file: loading some 1,300 of them takes longer than all else that a start does.
 *
 * Libraries are not bundled: a host has one copy of `effect`, and a host's bundler takes what it needs.
 */
import { build } from "esbuild"
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { basename, join, relative } from "node:path"
import { fileURLToPath } from "node:url"

const dist = fileURLToPath(new URL("../dist/", import.meta.url))
const packages = fileURLToPath(new URL("../../", import.meta.url))
const executable = join(dist, "executable")

/** They load files beside themselves, or are not there for everybody. */
const external = ["@electric-sql/pglite", "re2"]

/** Where a module of a package lies once it is installed, seen from the bundle: as code. @type {(path: string) => string} */
const placeOf = (path) => {
  const [name = "", ...rest] = relative(packages, path).split("/")
  return name === "node"
    ? `new URL(${JSON.stringify(relative(executable, path))}, import.meta.url).href`
    : `new URL(${JSON.stringify(`./${rest.slice(1).join("/")}`)}, import.meta.resolve("@gatewarden/${name}")).href`
}

/** What our modules find beside themselves they find from the bundle. @type {import("esbuild").Plugin} */
const places = {
  name: "places",
  setup: (options) =>
    options.onLoad({ filter: /[\\/]packages[\\/]\w+[\\/]dist[\\/].*\.js$/ }, async ({ path }) => {
      const text = await readFile(path, "utf8")
      return { contents: text.replaceAll("import.meta.url", placeOf(path)), loader: "js" }
    })
}

/** The licenses of what the bundle has of others ask to go along. @type {(inputs: readonly string[]) => Promise<string>} */
const licenses = async (inputs) => {
  const roots = inputs.map((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? "")
  const texts = [...new Set(roots)].filter(Boolean).map(async (root) => {
    const { name, version, license } = JSON.parse(await readFile(join(root, "package.json"), "utf8"))
    const file = (await readdir(root)).find((one) => /^licen[cs]e/i.test(one))
    const text = file === undefined ? "" : await readFile(join(root, file), "utf8")
    return `${name} ${version} (${license})\n\n${text.trim()}\n`
  })
  return (await Promise.all(texts)).sort().join(`\n${"-".repeat(80)}\n\n`)
}

/**
 * Takes what the compiler has made. The names of chunks are of their content: the entry comes last, and what it needs no longer goes after it,
 * so that whoever starts meanwhile finds one executable or the other.
 */
export const bundleExecutable = async () => {
  const { metafile, outputFiles } = await build({
    entryPoints: [join(dist, "gatewarden.js")],
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.20",
    outdir: executable,
    external,
    plugins: [places],
    metafile: true,
    write: false,
    legalComments: "none",
    logLevel: "warning",
    // Packages that are not of ECMAScript modules ask for what Node has.
    banner: {
      js: 'import { createRequire as requireOf } from "node:module"; const require = requireOf(import.meta.url);'
    }
  })
  await mkdir(executable, { recursive: true })
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]))
  files.set("LICENSES.txt", Buffer.from(await licenses(Object.keys(metafile.inputs))))
  const isEntry = (/** @type {string} */ name) => name === "gatewarden.js"
  for (const [name, contents] of [...files].sort(([a], [b]) => Number(isEntry(a)) - Number(isEntry(b)))) {
    const aside = join(executable, `${name}.${process.pid}`)
    await writeFile(aside, contents)
    await rename(aside, join(executable, name))
  }
  const old = (await readdir(executable)).filter((name) => !files.has(name) && name.endsWith(".js"))
  await Promise.all(old.map((name) => rm(join(executable, name), { force: true })))
}
