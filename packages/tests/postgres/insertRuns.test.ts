/** Runs of deliveries are inserted by a function of the database and by statements, which need the same text. */
import { assert, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { insertRuns } from "../../postgres/src/functions/deliveries.ts"

const spaced = (sql: string): string => sql.replace(/\s+/g, " ").trim()

it("settlements insert runs of deliveries as records of usage do", () => {
  const file = new URL("../../postgres/src/functions/record_settled.sql", import.meta.url)
  const settled = spaced(readFileSync(file, "utf8"))
  const [before, after] = insertRuns("{source}").split("{source}").map(spaced)
  const start = settled.indexOf(before ?? assert.fail())
  assert.isAtLeast(start, 0)
  assert.isAtLeast(settled.indexOf(after ?? assert.fail(), start), 0)
})
