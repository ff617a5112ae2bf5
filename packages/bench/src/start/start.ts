/**
 * `npm run bench -- start`: how long it takes until the first request is answered, as a table on standard output.
 *
 * `--beside DIRECTORY` measures another checkout, built, in turn with this one; `--turns N` (default 5) says how often; `--only TEXT`
 * runs the starts whose name has the text. In parentheses: processor time of the process until then, which a busy machine changes less.
 */
import { resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"
import { startPostgresServer } from "@gatewarden/testkit/stores/postgresServer"
import { median } from "../median.ts"
import type { Start } from "./StartMeasure.ts"
import { imports } from "./imports.ts"
import { servers } from "./servers.ts"

const { values } = parseArgs({
  options: {
    beside: { type: "string" },
    turns: { type: "string", default: "5" },
    only: { type: "string", default: "" }
  }
})

const here = fileURLToPath(new URL("../../../../", import.meta.url))
const checkouts = [...(values.beside === undefined ? [] : [resolve(values.beside)]), here]

const row = (cells: readonly string[]): void => void process.stdout.write(`| ${cells.join(" | ")} |\n`)

const measure = async (start: Start): Promise<void> => {
  const taken = checkouts.map((directory) => ({ directory, millis: [] as number[], processor: [] as number[] }))
  // The first of each reads files that the machine may not have in memory.
  for (let turn = -1; turn < Number(values.turns); turn++)
    for (const { directory, millis, processor } of taken) {
      const { elapsedMillis, processorMillis } = await start.run(directory)
      if (turn < 0) continue
      millis.push(elapsedMillis)
      processor.push(processorMillis)
    }
  const medians = taken.map(({ millis, processor }) => [median(millis), median(processor)] as const)
  const [first, last] = [medians[0], medians.at(-1)]
  row([
    start.name,
    ...medians.map(([elapsed, processor]) => `${Math.round(elapsed)} ms (${Math.round(processor)})`),
    ...(medians.length === 1 ? [] : [`${((last?.[0] ?? 0) / (first?.[0] ?? 0)).toFixed(2)}`])
  ])
}

const header = ["start", ...(checkouts.length === 1 ? ["time"] : ["beside", "this", "ratio"])]

const postgres = await startPostgresServer()
try {
  row(header)
  row(header.map(() => "---"))
  for (const start of [...servers(postgres), ...imports])
    if (start.name.toLowerCase().includes(values.only.toLowerCase())) await measure(start)
} finally {
  await postgres.stop()
}
