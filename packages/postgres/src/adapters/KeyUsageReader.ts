import { type IntervalUnit, daysOfUnit, intervalUnits } from "@gatewarden/contract/internal"
import { KeyUsageReader, spendingOf } from "@gatewarden/core/internal"
import { Effect } from "effect"
import { usageDays } from "../ledger/keptSums.ts"
import { fixedStatements } from "../statements/FixedStatements.ts"
import { arrayLiteral } from "../statements/literals.ts"
import type { Columns } from "../statements/rows.ts"
import { askedInstant, reading } from "../statements/statements.ts"

/** Sums come as decimal strings, since they know no bound. */
const spent = (row: Columns, prefix: string) => spendingOf((window) => BigInt(String(row[`${prefix}_${window}`])))

/** A hold that has expired and is to be charged counts as spent, also before it is swept. */
const amountsOf = (what: "charged" | "held"): string => {
  const isCounted = what === "held" ? "h.expires_at > asked.at" : "h.expires_at <= asked.at"
  return ["h.nanos", "h.full_nanos - h.nanos"]
    .map((nanos) => `case when ${isCounted} then ${nanos} else 0 end`)
    .join(", ")
}

/** The first day of the unit that holds the instant `at`, and the first one after it, in UTC. */
const daysOf = (unit: IntervalUnit): string => {
  const start = `date_trunc('${unit}', at at time zone 'UTC')`
  const end = `date_trunc('${unit}', ${start} + interval '${daysOfUnit[unit]} days')`
  return `${start}::date as ${unit}_start, ${end}::date as ${unit}_end`
}

/** One text, put together once: a list of keys asks for it each time. Behind account and hashes comes the instant. */
const text = `
  with asked as materialized (
    select at, ${intervalUnits.map(daysOf).join(", ")}
    from (select coalesce($3::timestamptz, now()) as at) now
  ) select entity, ${["credits", "byok", "held", "byok_held"]
    .flatMap((column) => [
      `sum(${column})::text as ${column}_total`,
      ...intervalUnits.map((unit) => {
        const days = `day >= ${unit}_start and day < ${unit}_end`
        return `coalesce(sum(${column}) filter (where ${days}), 0)::text as ${column}_${unit}`
      })
    ])
    .join(", ")} from (
    select used.entity, used.day, used.nanos as credits, used.byok_nanos as byok, 0::numeric as held, 0::numeric as byok_held
    from (${usageDays("$1", "'key'", "$2")}) used
    union all
    select h.key_hash, (h.held_at at time zone 'UTC')::date, ${amountsOf("charged")}, ${amountsOf("held")}
    from gatewarden_hold h cross join asked
    where h.account_id = $1::uuid and h.state = 'open' and h.key_hash = any ($2::text[])
      and (h.expires_at > asked.at or h.is_charged_on_expiry)
  ) each cross join asked group by entity`

/** From kept sums by day: days, weeks and months begin at midnight. A key costs a few rows, however often it was used, and one a hold that is open. */
export const keyUsageReader = Effect.map(fixedStatements, ({ read }) =>
  KeyUsageReader.of({
    usageOf: (account_id, key_hashes) =>
      Effect.flatMap(askedInstant, (now) => read(text, [account_id, arrayLiteral(key_hashes), now])).pipe(
        Effect.map(
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
        ),
        reading
      )
  })
)
