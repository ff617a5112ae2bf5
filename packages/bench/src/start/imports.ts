/** The library in a process of its own, which measures itself: what Node takes to start is not in it. */
import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import type { Start } from "./StartMeasure.ts"

const run = promisify(execFile)

const timed = (name: string, body: string): Start => ({
  name,
  run: async (checkout) => {
    const program = `const start = performance.now(), used = process.cpuUsage(); ${body};
      const { user, system } = process.cpuUsage(used)
      console.log(performance.now() - start, (user + system) / 1_000); process.exit()`
    const { stdout } = await run(process.execPath, ["--input-type=module", "--eval", program], {
      cwd: join(checkout, "packages/conformance")
    })
    const [elapsedMillis = Number.NaN, processorMillis = Number.NaN] = stdout.split(" ").map(Number)
    return { elapsedMillis, processorMillis }
  }
})

const firstRequest = `const { createGatewarden, memory } = await import("@gatewarden/core")
  const gatewarden = await createGatewarden({ store: memory() })
  const headers = { authorization: "Bearer " + gatewarden.generatedKey }
  const answer = await gatewarden.fetch(new Request("http://localhost/api/v1/guardrails", { headers }))
  if (!answer.ok) throw new Error("answered " + answer.status)`

export const imports: readonly Start[] = [
  timed("Cold import of @gatewarden/core", 'await import("@gatewarden/core")'),
  timed("Cold import, instance in memory, first request", firstRequest)
]
