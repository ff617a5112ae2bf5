import { intervalUnits } from "@gatewarden/contract/internal"
import { KeyUsageReader, spendingOf, windowDays } from "@gatewarden/core/internal"
import { Effect } from "effect"
import { usageDays } from "../ledger/keptSums.ts"
import { fixedStatements } from "../statements/FixedStatements.ts"
import { arrayLiteral } from "../statements/literals.ts"
import type { Columns } from "../statements/rows.ts"
import { reading } from "../statements/statements.ts"

/** Sums come as decimal strings, since they know no bound. */
const spent = (row: Columns, prefix: string) => spendingOf((window) => BigInt(String(row[`${prefix}_${window}`])))

/** A hold that has expired and is to be charged counts as spent, also before it is swept. */
const amountsOf = (what: "charged" | "held"): string => {
  const isCounted = what === "held" ? "h.expires_at > $3::timestamptz" : "h.expires_at <= $3::timestamptz"
  return ["h.nanos", "h.full_nanos - h.nanos"]
    .map((nanos) => `case when ${isCounted} then ${nanos} else 0 end`)
    .join(", ")
}

/**
 * One text, put together once: a list of keys asks for it each time. Behind account, hashes and the instant come the first day and the end of
 * each unit.
 */
const text = `select entity, ${["credits", "byok", "held", "byok_held"]
  .flatMap((column) => [
    `sum(${column})::text as ${column}_total`,
    ...intervalUnits.map((unit, index) => {
      const days = `day >= $${4 + 2 * index}::date and day < $${5 + 2 * index}::date`
      return `coalesce(sum(${column}) filter (where ${days}), 0)::text as ${column}_${unit}`
    })
  ])
  .join(", ")} from (
    select used.entity, used.day, used.nanos as credits, used.byok_nanos as byok, 0::numeric as held, 0::numeric as byok_held
    from (${usageDays("$1", "'key'", "$2")}) used
    union all
    select h.key_hash, (h.held_at at time zone 'UTC')::date, ${amountsOf("charged")}, ${amountsOf("held")}
    from gatewarden_hold h
    where h.account_id = $1::uuid and h.state = 'open' and h.key_hash = any ($2::text[]) and (h.expires_at > $3::timestamptz or h.is_charged_on_expiry)
  ) each group by entity`

/** From kept sums by day: days, weeks and months begin at midnight. A key costs a few rows, however often it was used, and one a hold that is open. */
export const keyUsageReader = Effect.map(fixedStatements, ({ read }) =>
  KeyUsageReader.of({
    usageOf: (account_id, key_hashes, now) => {
      const days = intervalUnits.flatMap((unit) => {
        const { first, end } = windowDays(unit, now)
        return [first, end]
      })
      return reading(
        Effect.map(
          read(text, [account_id, arrayLiteral(key_hashes), new Date(now).toISOString(), ...days]),
          (rows) =>
            new Map(
              rows.map((row) => [
                String(row["entity"]),
                {
                  credits: spent(row, "credits"),
                  byok: spent(row, "byok"),
                  held: spent(row, "held"),
                  byok_held: spent(row, "byok_held")
                }
              ])
            )
        )
      )
    }
  })
)
