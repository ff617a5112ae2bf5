/**
 * Lays out each package as it is published, in its folder `release`: modules that run in one form, the declarations that its doors lead to, and
 * a manifest without what only this repository needs.
 *
 * Source: docs/decisions/0002-packages.md.
 */
import { existsSync } from "node:fs"
import { cp, mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { dirname, join, normalize, relative } from "node:path"
import { type Publisher, publishedManifest } from "./publishedManifest.ts"
import { type Manifest, publishedPackages, type PublishedPackage, repository } from "./publishedPackages.ts"

export interface StagedPackage extends PublishedPackage {
  /** The folder that is packed and published. */
  readonly release: string
}

/** What a build makes beside modules. */
const made = /^dist\/(?:bundled|executable|prepared|swagger-ui)\//

/** Modules whose sources are there: `dist` may have some of sources that are gone. */
const isCompiled = (path: string, file: string): boolean =>
  file.endsWith(".js") &&
  [".ts", ".js"].some((ending) => existsSync(join(path, file.replace(/^dist\//, "src/").replace(/\.js$/, ending))))

const targetsOf = ({ exports = {}, bin = {} }: Manifest): readonly string[] => [
  ...Object.values(exports).flatMap((conditions) => Object.values(conditions)),
  ...Object.values(bin)
]

/** The declarations that are reached from those of the doors. */
const declarationsOf = async (path: string, targets: readonly string[]): Promise<readonly string[]> => {
  const reached = new Set<string>()
  const waiting = targets.filter((target) => target.endsWith(".d.ts")).map(normalize)
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    const text = await readFile(join(path, file), "utf8")
    for (const [, named = ""] of text.matchAll(/(?:from |import\(?)"(\.[^"]+)"/g))
      waiting.push(join(dirname(file), named.replace(/(?:\.d)?\.[jt]s$/, ".d.ts")))
  }
  return [...reached]
}

/** Files that modules open beside themselves: `new URL("../../src/…", import.meta.url)`. */
const openedBy = async (path: string, modules: readonly string[]): Promise<readonly string[]> => {
  const opened = new Set<string>()
  for (const file of modules) {
    const text = await readFile(join(path, file), "utf8")
    for (const [, named = ""] of text.matchAll(/new URL\("(\.\.?\/[^"]+)", import\.meta\.url\)/g)) {
      const at = join(dirname(file), named)
      if (at.startsWith("src/") && existsSync(join(path, at))) opened.add(at)
    }
  }
  return [...opened]
}

/** Whether all doors of a package lead to bundles: no module needs to be there besides, and no package that is in them. */
const isBundled = (manifest: Manifest): boolean =>
  targetsOf(manifest)
    .filter((target) => target.endsWith(".js"))
    .every((target) => made.test(normalize(target)))

const filesOf = async (path: string, manifest: Manifest): Promise<readonly string[]> => {
  const targets = targetsOf(manifest)
  const built = (await readdir(join(path, "dist"), { recursive: true })).map((file) => `dist/${file}`)
  const modules = isBundled(manifest) ? [] : built.filter((file) => !made.test(file) && isCompiled(path, file))
  return [
    "LICENSE",
    "README.md",
    ...Object.values(manifest.bin ?? {}).map(normalize),
    ...modules,
    ...built.filter((file) => made.test(file) && !file.endsWith(".map")),
    ...(await declarationsOf(path, targets)),
    ...(await openedBy(path, modules))
  ]
}

/** The dependencies that bundles, or their declarations, still import. */
const importedBy = async (path: string, files: readonly string[], { dependencies = {} }: Manifest) => {
  const texts = await Promise.all(files.map((file) => readFile(join(path, file), "utf8")))
  const isImported = (name: string) => texts.some((text) => new RegExp(`["']${name}(?:/[^"']*)?["']`).test(text))
  return Object.fromEntries(Object.entries(dependencies).filter(([name]) => isImported(name)))
}

const stage = async (published: PublishedPackage, publisher: Publisher): Promise<StagedPackage> => {
  const { path, folder } = published
  const release = join(path, "release")
  const written = publishedManifest(published.manifest, folder, publisher)
  const files = [...new Set(await filesOf(path, written))]
  const texts = files.filter((file) => /\.(?:js|d\.ts)$/.test(file))
  const dependencies = isBundled(written) ? await importedBy(path, texts, written) : written.dependencies
  const manifest: Manifest = { ...written, ...(dependencies && { dependencies }) }
  await rm(release, { recursive: true, force: true })
  for (const file of files) {
    const to = join(release, file)
    await mkdir(dirname(to), { recursive: true })
    if (!texts.includes(file)) await cp(join(path, file), to)
    // No map of it is shipped.
    else
      await writeFile(to, (await readFile(join(path, file), "utf8")).replace(/\n\/\/# sourceMappingURL=\S+\s*$/, "\n"))
  }
  await writeFile(join(release, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`)
  return { ...published, manifest, release }
}

/** What was built last of every package. */
export const stagePackages = async (): Promise<readonly StagedPackage[]> => {
  const publisher = JSON.parse(await readFile(join(repository, "package.json"), "utf8")) as Publisher
  return Promise.all(publishedPackages.map((each) => stage(each, publisher)))
}

/** The folders to pack, seen from the repository. */
export const foldersOf = (staged: readonly StagedPackage[]): readonly string[] =>
  staged.map(({ release }) => `./${relative(repository, release)}`)
