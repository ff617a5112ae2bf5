// @ts-check
/**
 * Builds what `gatewarden` runs: compiles, prepares an embedded database, and puts the modules of the executable and of libraries into few files.
 *
 * Also compiles the client, with which the README calls the server. Source: docs/decisions/0006-starting.md.
 * Exits with the code of the compiler where that fails.
 */
import { spawnSync } from "node:child_process"
import { createRequire } from "node:module"
import { bundleExecutable } from "./bundleExecutable.js"
import { bundleLibraries } from "./bundleLibraries.js"
import { copySwaggerUi } from "./copySwaggerUi.js"
import { embedSql } from "../../postgres/build/embedSql.js"
import { noteBuilt, repository, stateOfInputs } from "./inputs.js"

embedSql()
// What is changed while it is built is built the next time.
const state = stateOfInputs()
const compiler = createRequire(import.meta.url)
  .resolve("typescript/package.json")
  .replace("package.json", "bin/tsc")
// Its output goes to stderr: stdout is for results.
const compiled = spawnSync(process.execPath, [compiler, "-b", "packages/node", "packages/client"], {
  cwd: repository,
  stdio: ["ignore", 2, 2]
})
if (compiled.status === 0) {
  // What prepares the database imports the libraries.
  await bundleLibraries()
  const prepared = new URL("../../postgres/dist/store/preparedDatabase.js", import.meta.url)
  const { prepareDatabase } = await import(prepared.href)
  await Promise.all([prepareDatabase(), bundleExecutable(), copySwaggerUi()])
  noteBuilt(state)
} else process.exitCode = compiled.status ?? 1
