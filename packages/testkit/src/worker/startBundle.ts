/** Runs a bundle in workerd. */
import { copyFile, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { WorkerBundle } from "./bundleForWorker.ts"
import { startWorkerd, type Workerd, type WorkerdOptions } from "./workerd.ts"

/** The configuration embeds the bundle as `dist/bundle.js`. */
export const startBundle = async ({ code }: WorkerBundle, options: WorkerdOptions): Promise<Workerd> => {
  const folder = await mkdtemp(join(tmpdir(), "gatewarden-worker-"))
  const configuration = join(folder, "worker.capnp")
  try {
    await mkdir(join(folder, "dist"))
    await writeFile(join(folder, "dist/bundle.js"), code)
    await copyFile(options.configuration, configuration)
    return await startWorkerd({ ...options, configuration })
  } finally {
    // Everything in it is read before workerd listens.
    await rm(folder, { recursive: true, force: true })
  }
}
