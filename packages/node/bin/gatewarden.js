#!/usr/bin/env node
/** The command `gatewarden`. In a clone it builds first what has changed; what is published is built already. */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { fileURLToPath } from "node:url"

/** The same program, in one file and as the compiler makes it. */
const executable = new URL("../dist/executable/gatewarden.js", import.meta.url)
const compiled = new URL("../dist/gatewarden.js", import.meta.url)

/** The exit code of the build. */
const build = async () => {
  const { isBuilt } = await import("../build/inputs.js")
  if (isBuilt()) return 0
  if (!existsSync(compiled)) process.stderr.write("gatewarden: compiling, which may take a minute the first time\n")
  const script = fileURLToPath(new URL("../build/build.js", import.meta.url))
  return spawnSync(process.execPath, [script], { stdio: ["ignore", 2, 2] }).status ?? 1
}

// Only a clone has the compiler's settings.
const code = existsSync(new URL("../tsconfig.json", import.meta.url)) ? await build() : 0
if (code === 0) await import((existsSync(executable) ? executable : compiled).href)
else {
  process.stderr.write("gatewarden: the sources do not compile; `npm ci` installs what they need\n")
  process.exitCode = 1
}
