#!/usr/bin/env node
/** The command `gatewarden`. In a clone it compiles first what has changed; what is published is compiled already. */
import { spawnSync } from "node:child_process"
import { existsSync } from "node:fs"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"

const compiled = new URL("../dist/gatewarden.js", import.meta.url)

/** The exit code of the compiler, whose output goes to stderr: stdout is for results. */
const compile = () => {
  if (!existsSync(compiled)) process.stderr.write("gatewarden: compiling, which may take a minute the first time\n")
  const tsc = createRequire(import.meta.url)
    .resolve("typescript/package.json")
    .replace("package.json", "bin/tsc")
  const cwd = fileURLToPath(new URL("../../../", import.meta.url))
  return spawnSync(process.execPath, [tsc, "-b"], { cwd, stdio: ["ignore", 2, 2] }).status ?? 1
}

// Only a clone has the compiler's settings.
const code = existsSync(new URL("../tsconfig.json", import.meta.url)) ? compile() : 0
if (code === 0) await import(compiled.href)
else {
  process.stderr.write("gatewarden: the sources do not compile; `npm ci` installs what they need\n")
  process.exitCode = 1
}
