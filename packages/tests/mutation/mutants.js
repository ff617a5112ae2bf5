/**
 * Counts how many wrong versions of an expression some test notices, in the folders that decide about money and policy. `npm run mutants`
 * takes all of them; `GATEWARDEN_MUTANTS_SHARE=0.1` a tenth, `GATEWARDEN_MUTANTS_OF=ledger,value/text.ts` a folder and a file. With
 * `-- value/text.test.ts`, only that test runs.
 */
import { spawnSync } from "node:child_process"
import { appendFileSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const folder = process.env["GATEWARDEN_MUTANTS_DIR"] ?? mkdtempSync(join(tmpdir(), "gatewarden-mutants-"))
const list = join(folder, "mutants.json")
const log = join(folder, "log.jsonl")
appendFileSync(log, "")

const read = () =>
  readFileSync(log, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line))

/** Quick tests first: they notice most, and a mutant that was noticed costs no slow test. */
for (const slowest of [40, 400, 3_000])
  for (let restarts = 0; restarts < 40; restarts++) {
    const { status, signal } = spawnSync(
      "npx",
      ["vitest", "run", "--config", "vitest.mutants.ts", "--tags-filter=!deep", ...process.argv.slice(2)],
      {
        stdio: ["ignore", "inherit", "inherit"],
        env: {
          ...process.env,
          GATEWARDEN_MUTANTS_LIST: list,
          GATEWARDEN_MUTANTS_LOG: log,
          GATEWARDEN_MUTANTS_SLOWEST: String(slowest)
        }
      }
    )
    const last = read().findLast(({ kind }) => kind !== "reached" && kind !== "loaded")
    if (last?.kind !== "begun") break
    // It ended the process.
    appendFileSync(log, `${JSON.stringify({ ...last, kind: "noticed" })}\n`)
    console.log(`mutant ${last.of} ended the run (${signal ?? status}): on with the next`)
  }

const mutants = JSON.parse(readFileSync(list, "utf8"))
const found = read()
const all = (kind) => new Set(found.filter((one) => one.kind === kind).map(({ of }) => of))
const [reached, loaded, noticed] = [all("reached"), all("loaded"), all("noticed")]

/** What a module computes once, while it loads, cannot be switched in a warm process: it is listed, and not in the score. */
const fateOf = (id) =>
  noticed.has(id) ? "noticed" : reached.has(id) ? "unnoticed" : loaded.has(id) ? "atLoad" : "unreached"

const none = { mutants: 0, atLoad: 0, noticed: 0, unnoticed: 0, unreached: 0 }
const rows = new Map()
for (const { id, file } of mutants) {
  const name = file.split("/")[0]
  const row = rows.get(name) ?? { ...none }
  rows.set(name, row)
  row.mutants++
  row[fateOf(id)]++
}
const total = { ...none }
for (const row of rows.values()) for (const name of Object.keys(total)) total[name] += row[name]
rows.set("all", total)
console.table(
  [...rows].map(([name, row]) => ({
    folder: name,
    ...row,
    score: `${((100 * row.noticed) / (row.mutants - row.atLoad)).toFixed(1)} %`
  }))
)
const lines = mutants
  .filter(({ id }) => !noticed.has(id))
  .map(({ id, file, location, mutatorName, replacement }) => {
    const { line, column } = location.start
    const text = replacement.replaceAll(/\s+/g, " ").slice(0, 100)
    return `${file}:${line + 1}:${column + 1} ${fateOf(id)} #${id} ${mutatorName}: ${text}`
  })
writeFileSync(join(folder, "unnoticed.txt"), lines.join("\n"))
console.log(`What no test noticed: ${join(folder, "unnoticed.txt")}`)
