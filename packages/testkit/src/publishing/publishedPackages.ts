/** The packages that are published, as they are written. */
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

export const repository = fileURLToPath(new URL("../../../../", import.meta.url))

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly license?: string
  /** Written by whoever publishes, once, in the manifest of the repository. */
  readonly repository?: { readonly type: string; readonly url: string; readonly directory?: string }
  readonly homepage?: string
  readonly bugs?: { readonly url: string }
  readonly type?: string
  readonly files?: readonly string[]
  readonly sideEffects?: boolean
  readonly publishConfig?: { readonly access?: string; readonly directory?: string; readonly provenance?: boolean }
  readonly scripts?: Readonly<Record<string, string>>
  readonly bin?: Readonly<Record<string, string>>
  readonly exports?: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly engines?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>
}

export interface PublishedPackage {
  /** The folder's name below `packages/`. */
  readonly folder: string
  readonly path: string
  readonly manifest: Manifest
}

/** Every package below `packages/` that is not private. */
export const publishedPackages: readonly PublishedPackage[] = readdirSync(`${repository}packages`)
  .map((folder) => {
    const path = `${repository}packages/${folder}`
    return { folder, path, manifest: JSON.parse(readFileSync(`${path}/package.json`, "utf8")) as Manifest }
  })
  .filter(({ manifest }) => manifest.private !== true)
