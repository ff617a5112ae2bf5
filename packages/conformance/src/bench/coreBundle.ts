import { build } from "esbuild"
import { gzipSync } from "node:zlib"
import type { Reading } from "./Measure.ts"

/** The Promise door with everything that it needs, minified for a Worker, as it goes over the wire. */
export const coreBundle: Reading = {
  kind: "reading",
  name: "Bundle of the core with the memory store, minified and gzipped",
  unit: "kB",
  atMost: undefined,
  gated: false,
  read: async () => {
    const { outputFiles } = await build({
      stdin: { contents: `export * from "@gatewarden/core"`, resolveDir: import.meta.dirname },
      bundle: true,
      minify: true,
      format: "esm",
      platform: "neutral",
      mainFields: ["module", "main"],
      conditions: ["worker", "import"],
      write: false
    })
    return { value: gzipSync(outputFiles[0]?.contents ?? new Uint8Array(0)).length / 1000 }
  }
}
