/** Packs packages as they would be published, without a registry. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { publishedPackages, repository, type PublishedPackage } from "./publishedPackages.ts"

export interface PackedPackage extends PublishedPackage {
  /** The path of the `.tgz`. */
  readonly tarball: string
  /** What is in it, relative to the package. */
  readonly files: readonly string[]
}

interface Packed {
  readonly name: string
  readonly filename: string
  readonly files: readonly { readonly path: string }[]
}

/** What npm is told to pack: the packages that are not private. */
const selection: readonly string[] = publishedPackages.flatMap(({ folder }) => ["-w", `packages/${folder}`])

/** Packs what was built last into a folder. */
export const packPackages = async (into: string): Promise<readonly PackedPackage[]> => {
  const { stdout } = await promisify(execFile)(
    "npm",
    ["pack", ...selection, "--json", "--offline", "--ignore-scripts", "--pack-destination", into],
    { cwd: repository, maxBuffer: 64 * 1024 * 1024 }
  )
  const packed = JSON.parse(stdout) as readonly Packed[] | Readonly<Record<string, Packed>>
  return Object.values(packed).map(({ name, filename, files }) => {
    const published = publishedPackages.find(({ manifest }) => manifest.name === name)
    if (published === undefined) throw new Error(`packed ${name}, which is no package of ours`)
    return { ...published, tarball: join(into, filename), files: files.map(({ path }) => path) }
  })
}
