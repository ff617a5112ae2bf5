import { type FeedbackOn, PersonalRows, type PersonalTableName, personalTables } from "@gatewarden/core/internal"
import { Effect } from "effect"
import { AnalyticsSql } from "../statements/AnalyticsSql.ts"
import { arrayLiteral } from "../statements/literals.ts"
import { personalSources } from "../statements/personColumns.ts"
import { type Columns, fromRow } from "../statements/rows.ts"
import { reading, readingMuch } from "../statements/statements.ts"

/** What the directory tells is kept as a text of JSON. */
const rowOf = (columns: Columns): Columns =>
  "attributes" in columns ? { ...columns, attributes: JSON.parse(String(columns["attributes"])) as unknown } : columns

const columnsOf = (table: PersonalTableName): string => {
  const { user, external_user, place, shown } = personalTables[table]
  return [...new Set<string>([...user, ...external_user, place, ...shown])].join(", ")
}

/** On the connections of long reads: all rows of a person are read and put in order for each page. */
export const personalRows = Effect.map(AnalyticsSql, (sql) =>
  PersonalRows.of({
    naming: (account_id, { kind, name }, table, after, limit) => {
      const { from, lists, ofWorkspaces } = personalSources[table]
      const place = sql.literal(`${personalTables[table].place}::text collate "C"`)
      const names = personalTables[table][kind].map((field) =>
        lists ? sql`${name} = any(${sql.literal(field)})` : sql`${sql.literal(field)} = ${name}`
      )
      // Without a field the condition would be empty, and hold for every row.
      if (names.length === 0) return Effect.succeed([])
      const conditions = [
        sql`account_id = ${account_id}`,
        sql.or(names),
        sql`${place} > ${after}`,
        ...(ofWorkspaces
          ? [sql`workspace_id in (select id from gatewarden_workspace where account_id = ${account_id})`]
          : [])
      ]
      return Effect.map(
        readingMuch(
          // The rows of the person are found by indexes of their names, and put in order afterwards: the order has an index, too, which
          // would be walked through the rows of everyone else.
          sql`
            with found as materialized (
              select ${sql.literal(columnsOf(table))}, ${place} as place_text from ${sql.literal(from)}
              where ${sql.and(conditions)}
            )
            select * from found order by place_text limit ${limit}`
        ),
        (rows) =>
          rows.map(({ place_text, ...columns }) => ({
            place: String(place_text),
            row: rowOf(fromRow<Columns>(columns))
          }))
      )
    },
    feedbackOn: (account_id, ids) =>
      reading(
        Effect.map(
          sql`
            select f.id, category, comment, given_at
            from unnest(${arrayLiteral(ids)}::text[]) with ordinality as asked (id, place)
            join gatewarden_generation_feedback f on f.id = asked.id and f.account_id = ${account_id}
            order by place`,
          (rows) => rows.map((row) => fromRow<FeedbackOn>(row))
        )
      )
  })
)
