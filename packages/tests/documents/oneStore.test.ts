/**
 * Tests of admissions and of usage run on every kind of store. Those that do not are named here, each with why: an order that only SQL stores
 * got wrong was not noticed for as long as its cases did not tell stores apart.
 */
import { assert, it } from "@effect/vitest"
import { readdir, readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"

const test = fileURLToPath(new URL("../", import.meta.url))

const onPostgres = "What PostgreSQL counts, or a connection to it that breaks, is what is tested."
const ofProcess = "What a process remembers or sends is tested; the store only answers."

const onOneStore: Readonly<Record<string, string>> = {
  "admission/budgetLedger.faults.test.ts": onPostgres,
  "admission/keyedPlans.test.ts": onPostgres,
  "admission/ledgerBatches.test.ts": onPostgres,
  "admission/liveAdmissions.test.ts": ofProcess,
  "admission/unpricedCeiling.test.ts": "What is held is computed before a store is asked.",
  "admission/warmAdmissions.test.ts": "Calls of ports are counted, which are the same for every store.",
  "usage/brokenExports.test.ts": ofProcess,
  "usage/importFile.test.ts": ofProcess,
  "usage/measuredSpans.test.ts": onPostgres,
  "usage/readHistory.test.ts": onPostgres,
  "usage/rollupParts.test.ts":
    "Parts of a day, of which only PostgreSQL makes sums, are made of few events, which no store does by itself.",
  "usage/rollups.test.ts": "Sums that only PostgreSQL keeps are made of few events, which no store does by itself."
}

/** What opens a store; other tests of both folders are of rules alone. */
const opensStore = /@gatewarden\/testkit\/stores|\blayerMemory\b|\binject\(/

/** How a test goes through all kinds of store. */
const eachStore = /\b(?:forEachStore|everyStore)\b/

it("tests of admissions and usage run on every store, or say why not", async () => {
  const files = await Promise.all(
    ["admission", "usage"].map(async (folder) =>
      (await readdir(`${test}${folder}`))
        .filter((name) => name.endsWith(".test.ts") && !name.endsWith(".deep.test.ts"))
        .map((name) => `${folder}/${name}`)
    )
  )
  const alone: string[] = []
  for (const file of files.flat()) {
    const text = await readFile(`${test}${file}`, "utf8")
    if (opensStore.test(text) && !eachStore.test(text)) alone.push(file)
  }
  assert.sameMembers(alone, Object.keys(onOneStore))
})
