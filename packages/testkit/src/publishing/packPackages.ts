/** Packs packages as they would be published, without a registry. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import { repository } from "./publishedPackages.ts"
import { foldersOf, type StagedPackage, stagePackages } from "./stagePackages.ts"

export interface PackedPackage extends StagedPackage {
  /** The path of the `.tgz`. */
  readonly tarball: string
  /** What is in it, relative to the package. */
  readonly files: readonly string[]
  readonly bytesOf: ReadonlyMap<string, number>
  readonly unpackedSize: number
}

interface Packed {
  readonly name: string
  readonly filename: string
  readonly files: readonly { readonly path: string; readonly size: number }[]
  readonly unpackedSize: number
}

/** Packs what was built last into a folder. */
export const packPackages = async (into: string): Promise<readonly PackedPackage[]> => {
  const staged = await stagePackages()
  const { stdout } = await promisify(execFile)(
    "npm",
    ["pack", ...foldersOf(staged), "--json", "--offline", "--ignore-scripts", "--pack-destination", into],
    { cwd: repository, maxBuffer: 64 * 1024 * 1024 }
  )
  const packed = JSON.parse(stdout) as readonly Packed[] | Readonly<Record<string, Packed>>
  return Object.values(packed).map(({ name, filename, files, unpackedSize }) => {
    const published = staged.find(({ manifest }) => manifest.name === name)
    if (published === undefined) throw new Error(`packed ${name}, which is no package of ours`)
    return {
      ...published,
      tarball: join(into, filename),
      files: files.map(({ path }) => path),
      bytesOf: new Map(files.map(({ path, size }) => [path, size])),
      unpackedSize
    }
  })
}
