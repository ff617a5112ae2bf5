import { execFile } from "node:child_process"
import { promisify } from "node:util"
import type { Reading } from "../Measure.ts"
import { median } from "../median.ts"

const run = promisify(execFile)
const starts = 5

/** Time of the import within a fresh process; the process's own start is not in it. */
const importMillis = async (name: string): Promise<number> => {
  const program = `const start = performance.now(); await import(${JSON.stringify(name)}); console.log(performance.now() - start)`
  const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program], {
    cwd: import.meta.dirname
  })
  return Number(stdout)
}

export const coldImport: Reading = {
  kind: "reading",
  name: "Cold import of @gatewarden/core",
  unit: "ms",
  atMost: undefined,
  gated: false,
  read: async () => {
    const millis: number[] = []
    for (let index = 0; index < starts; index++) millis.push(await importMillis("@gatewarden/core"))
    return { value: median(millis) }
  }
}
