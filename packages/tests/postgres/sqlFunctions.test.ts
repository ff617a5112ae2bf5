/** Functions repeat what tables of core and shared expressions of statements have. */
import { assert, describe, it } from "@effect/vitest"
import { BudgetScope, budgetIntervals } from "@gatewarden/contract/internal"
import { keptAttempts, spenderOf, spenders } from "@gatewarden/core/internal"
import { digestSql, linkSql, ownerSql } from "../../postgres/src/functions/audit.ts"
import { keptFrom } from "../../postgres/src/functions/intervals.ts"
import { insertRuns } from "../../postgres/src/functions/deliveries.ts"
import { alertColumns } from "../../postgres/src/functions/warnings.ts"
import { functions } from "../../postgres/src/migrations/functions.ts"

/** Without what does not count in SQL. */
const plain = (sql: string): string => sql.replace(/--.*$/gm, "").replace(/\s+/g, "")

const textOf = (name: string): string => functions.find((one) => one.name === `gatewarden_${name}`)?.sql ?? ""

const parts: Readonly<Record<string, readonly string[]>> = {
  note_attempt: [`attempts_before % ${keptAttempts},`],
  spender: BudgetScope.options.map((scope) => `when '${scope}' then '${spenderOf({ scope })}'`),
  keep_sums: [keptFrom("max(day)")],
  spenders: spenders.map((spender) => `('${spender}',`),
  record_settled: insertRuns("@").split("@"),
  interval_place: budgetIntervals.map(({ name, place }) => `when '${name}' then ${place}`),
  chain_hashes: [linkSql("hash", "place", "digest")],
  seal_changes: [digestSql("c", "c"), ownerSql("c")],
  alert_of_warning: Object.values(alertColumns("new"))
}

describe("the text of a function", () => {
  it.each(Object.entries(parts))("has what %s shares", (name, shared) => {
    for (const part of shared) assert.include(plain(textOf(name)), plain(part))
  })

  it("has the name of its file", () => {
    for (const { name, sql } of functions) assert.match(sql, new RegExp(`create or replace function ${name}\\(`))
  })
})
