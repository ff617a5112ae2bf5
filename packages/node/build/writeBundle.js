// @ts-check
/** Bundles modules for Node and writes them beside what the compiler makes. */
import { build } from "esbuild"
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { basename, join } from "node:path"

/** The licenses of what a bundle has of others ask to go along. @type {(inputs: readonly string[]) => Promise<string>} */
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
 * `entries`: the module of each file by the name of the file, without its ending. The names of chunks are of their content: entries come last,
 * and what they need no longer goes after them, so that whoever starts meanwhile finds one bundle or the other.
 *
 * @type {(outdir: string, entries: Record<string, string>, options: import("esbuild").BuildOptions) => Promise<void>}
 */
export const writeBundle = async (outdir, entries, options) => {
  const { metafile, outputFiles } = await build({
    entryPoints: entries,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node20.20",
    outdir,
    metafile: true,
    legalComments: "none",
    logLevel: "warning",
    ...options,
    write: false
  })
  await mkdir(outdir, { recursive: true })
  const files = new Map(outputFiles.map(({ path, contents }) => [basename(path), contents]))
  files.set("LICENSES.txt", Buffer.from(await licenses(Object.keys(metafile.inputs))))
  const isEntry = (/** @type {string} */ name) => name.replace(/\.js$/, "") in entries
  for (const [name, contents] of [...files].sort(([a], [b]) => Number(isEntry(a)) - Number(isEntry(b)))) {
    const aside = join(outdir, `${name}.${process.pid}`)
    await writeFile(aside, contents)
    await rename(aside, join(outdir, name))
  }
  const old = (await readdir(outdir)).filter((name) => !files.has(name) && /\.js(?:\.map)?$/.test(name))
  await Promise.all(old.map((name) => rm(join(outdir, name), { force: true })))
}
