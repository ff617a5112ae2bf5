/** What the manifest of a package says once it is published: nothing of how this repository builds and tests it. */
import type { Manifest } from "./publishedPackages.ts"

/** Where the project lives. */
export type Publisher = Pick<Manifest, "repository" | "homepage" | "bugs">

/** Doors and conditions that only this repository uses: its tests reach what no package promises. */
const isInternal = (name: string): boolean => name.endsWith("/*") || name.startsWith("@gatewarden/")

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
): Manifest => ({
  ...manifest,
  ...(manifest.exports && { exports: publishedExports(manifest.exports) }),
  ...(repository && { repository: { ...repository, directory: `packages/${folder}` } }),
  ...(homepage !== undefined && { homepage }),
  ...(bugs && { bugs }),
  publishConfig
})
