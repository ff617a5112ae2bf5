/**
 * `npm run pack [-- <folder>] [--release]`: packs every package as it would be published, by default into the repository's folder. A release
 * must say where the project lives.
 */
import { parseArgs } from "node:util"
import { packPackages } from "./packPackages.ts"
import { repository } from "./publishedPackages.ts"

const { values, positionals } = parseArgs({ allowPositionals: true, options: { release: { type: "boolean" } } })
const packed = await packPackages(positionals[0] ?? repository)
for (const { tarball, files, unpackedSize } of packed)
  console.log(`${tarball} (${files.length} files, ${(unpackedSize / 1e6).toFixed(1)} MB)`)
if (values.release === true && packed.some(({ manifest }) => manifest.repository === undefined)) {
  console.error("A release names its repository: fill in repository, homepage and bugs in package.json.")
  process.exitCode = 78
}
