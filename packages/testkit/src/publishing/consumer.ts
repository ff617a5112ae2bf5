/** A project outside of this repository that has the packed packages in its `node_modules`. */
import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { createRequire } from "node:module"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import type { PackedPackage } from "./packPackages.ts"
import { repository } from "./publishedPackages.ts"

const run = promisify(execFile)
const compiler = createRequire(import.meta.url)
  .resolve("typescript/package.json")
  .replace("package.json", "bin/tsc")

export interface Consumer {
  readonly path: string
  /** Puts a package of others into reach: the one that this repository has. */
  readonly link: (name: string) => Promise<void>
  readonly write: (file: string, text: string) => Promise<void>
  /** Compiles with these options; answers what the compiler says, nothing when it is content. */
  readonly compile: (options: object) => Promise<string>
  readonly node: (...args: readonly string[]) => Promise<{ readonly stdout: string; readonly stderr: string }>
  readonly remove: () => Promise<void>
}

const unpack = async (path: string, { manifest, tarball }: PackedPackage): Promise<void> => {
  const folder = join(path, "node_modules", manifest.name)
  await mkdir(folder, { recursive: true })
  await run("tar", ["-xzf", tarball, "-C", folder, "--strip-components=1"])
}

export const makeConsumer = async (packages: readonly PackedPackage[]): Promise<Consumer> => {
  const path = await mkdtemp(join(tmpdir(), "gatewarden-consumer-"))
  await Promise.all(packages.map((each) => unpack(path, each)))
  const write: Consumer["write"] = (file, text) => writeFile(join(path, file), text)
  await write("package.json", JSON.stringify({ name: "consumer", private: true, type: "module" }))
  return {
    path,
    link: async (name) => {
      const at = join(path, "node_modules", name)
      await mkdir(dirname(at), { recursive: true })
      await symlink(join(repository, "node_modules", name), at, "junction")
    },
    write,
    compile: async (options) => {
      await write(
        "tsconfig.json",
        JSON.stringify({ compilerOptions: { strict: true, ...options }, files: ["main.ts"] })
      )
      try {
        await run(process.execPath, [compiler, "-p", path])
        return ""
      } catch (cause) {
        return String((cause as { readonly stdout?: string }).stdout)
      }
    },
    node: (...args) => run(process.execPath, args, { cwd: path }),
    remove: () => rm(path, { recursive: true, force: true })
  }
}
