import { bundleSize } from "../bundleSize.ts"
import type { Reading } from "../Measure.ts"

/** The Promise door with everything that it needs, minified for a Worker, as it goes over the wire. */
export const coreBundle: Reading = {
  kind: "reading",
  name: "Bundle of the core with the memory store, minified and gzipped",
  unit: "kB",
  atMost: undefined,
  gated: false,
  read: async () => ({ value: (await bundleSize()).gzipBytes / 1000 })
}
