import { intervalUnits } from "@gatewarden/contract"
import { KeyUsageReader, spendingOf, windowDays } from "@gatewarden/core/store"
import { Effect } from "effect"
import { arrayLiteral } from "../engine/arrayLiteral.ts"
import { fixedStatements } from "../engine/FixedStatements.ts"
import { usageDays } from "../ledger/keptSums.ts"
import type { Columns } from "./sql/rows.ts"
import { reading } from "../engine/statements.ts"

/** Sums come as decimal strings, since they know no bound. */
const spent = (row: Columns, prefix: string) => spendingOf((window) => BigInt(String(row[`${prefix}_${window}`])))

/** One text, put together once: a list of keys asks for it each time. Behind account and hashes come the first day and the end of each unit. */
const text = `select entity, ${[
  ["credits", "nanos"],
  ["byok", "byok_nanos"]
]
  .flatMap(([prefix, column]) => [
    `sum(${column})::text as ${prefix}_total`,
    ...intervalUnits.map((unit, index) => {
      const days = `day >= $${3 + 2 * index}::date and day < $${4 + 2 * index}::date`
      return `coalesce(sum(${column}) filter (where ${days}), 0)::text as ${prefix}_${unit}`
    })
  ])
  .join(", ")} from (${usageDays("$1", "'key'", "$2")}) used group by entity`

/** From kept sums by day: days, weeks and months begin at midnight. A key costs a few rows, however often it was used. */
export const keyUsageReader = Effect.map(fixedStatements, ({ read }) =>
  KeyUsageReader.of({
    usageOf: (account_id, key_hashes, now) => {
      const days = intervalUnits.flatMap((unit) => {
        const { first, end } = windowDays(unit, now)
        return [first, end]
      })
      return reading(
        Effect.map(
          read(text, [account_id, arrayLiteral(key_hashes), ...days]),
          (rows) =>
            new Map(
              rows.map((row) => [String(row["entity"]), { credits: spent(row, "credits"), byok: spent(row, "byok") }])
            )
        )
      )
    }
  })
)
