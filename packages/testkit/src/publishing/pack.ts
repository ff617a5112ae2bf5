/** `npm run pack [-- <folder>]`: packs every package as it would be published, by default into the repository's folder. */
import { packPackages } from "./packPackages.ts"
import { repository } from "./publishedPackages.ts"

for (const { tarball, files, unpackedSize } of await packPackages(process.argv[2] ?? repository))
  console.log(`${tarball} (${files.length} files, ${(unpackedSize / 1e6).toFixed(1)} MB)`)
