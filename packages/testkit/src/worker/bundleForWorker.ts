/** Makes one module of an entry and all that it imports, as a Worker needs it: with nothing of Node. */
import { build, type Plugin } from "esbuild"
import { resolve } from "node:path"

export interface WorkerBundleOptions {
  /** A path. */
  readonly entry: string
  readonly minify?: boolean
  /** Paths of modules that are bundled in place of others, by package or by path. */
  readonly standIns?: Readonly<Record<string, string>>
}

export interface WorkerBundle {
  readonly code: string
  /** Every file that is in it. */
  readonly inputs: readonly string[]
  /** What it still imports. */
  readonly imports: readonly string[]
}

const replacing = (standIns: Readonly<Record<string, string>>): Plugin => ({
  name: "stand-ins",
  setup: (context) =>
    context.onResolve({ filter: /./ }, ({ path, resolveDir }) => {
      const standIn = standIns[path.startsWith(".") ? resolve(resolveDir, path) : path]
      return standIn === undefined ? undefined : { path: standIn }
    })
})

/** Fails when anything that the entry leads to cannot be resolved in a Worker, as every `node:` module. */
export const bundleForWorker = async ({ entry, minify, standIns }: WorkerBundleOptions): Promise<WorkerBundle> => {
  const { outputFiles, metafile } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    metafile: true,
    format: "esm",
    platform: "browser",
    conditions: ["@gatewarden/source", "workerd", "worker", "browser"],
    minify: minify ?? false,
    logLevel: "silent",
    plugins: standIns === undefined ? [] : [replacing(standIns)]
  })
  return {
    code: outputFiles[0]?.text ?? "",
    inputs: Object.keys(metafile.inputs),
    imports: Object.values(metafile.outputs).flatMap((output) => output.imports.map(({ path }) => path))
  }
}
