/** What the manifest of a package says once it is published: nothing of how this repository builds and tests it. */
import type { Manifest } from "./publishedPackages.ts"

/** Where the project lives, which whoever publishes writes once, in the manifest of the repository. */
export interface Publisher {
  readonly repository?: { readonly type: string; readonly url: string; readonly directory?: string }
  readonly homepage?: string
  readonly bugs?: { readonly url: string }
}

export interface PublishedManifest extends Manifest, Publisher {}

/** Doors and conditions that only this repository uses: its tests reach what no package promises. */
const isInternal = (name: string): boolean => name.startsWith("./internal/") || name.startsWith("@gatewarden/")

const withoutInternal = <T>(of: Readonly<Record<string, T>>): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(of).filter(([name]) => !isInternal(name)))

const publishedExports = (exports: NonNullable<Manifest["exports"]>): NonNullable<Manifest["exports"]> =>
  Object.fromEntries(
    Object.entries(withoutInternal(exports)).map(([door, conditions]) => [door, withoutInternal(conditions)])
  )

export const publishedManifest = (
  { files: _, publishConfig: { directory: __, ...publishConfig } = {}, ...manifest }: Manifest,
  folder: string,
  { repository, homepage, bugs }: Publisher
): PublishedManifest => ({
  ...manifest,
  ...(manifest.exports && { exports: publishedExports(manifest.exports) }),
  ...(repository && { repository: { ...repository, directory: `packages/${folder}` } }),
  ...(homepage !== undefined && { homepage }),
  ...(bugs && { bugs }),
  publishConfig
})
