/** How much the core adds to a Worker or to a page. */
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { gzip } from "node:zlib"
import { bundleForWorker } from "@gatewarden/testkit/worker/bundleForWorker"

export interface BundleSize {
  /** Minified, with everything that it imports: contract, effect, zod, re2js. */
  readonly bytes: number
  /** The same as it travels. */
  readonly gzipBytes: number
}

/** The size of what `@gatewarden/core` exports. */
export const bundleSize = async (): Promise<BundleSize> => {
  const entry = fileURLToPath(new URL("../../core/src/index.ts", import.meta.url))
  const code = Buffer.from((await bundleForWorker({ entry, minify: true })).code)
  const compressed = await promisify(gzip)(code, { level: 9 })
  return { bytes: code.length, gzipBytes: compressed.length }
}
