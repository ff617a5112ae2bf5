import { Effect } from "effect"
import type { PersonalCursor } from "./personalCursor.ts"
import {
  type Person,
  PersonalRows,
  type PersonalTableName,
  namedIn,
  personalTableNames,
  personalTables
} from "../ports/erasures.ts"

/** The line of a row: the fields that it shows, and which others name the person. */
const printRow = (table: PersonalTableName, person: Person, row: Readonly<Record<string, unknown>>): string => {
  const shown = personalTables[table].shown.map((field) => [field, row[field] ?? null] as const)
  return `${JSON.stringify({ table, named_in: namedIn(table, person, row), ...Object.fromEntries(shown) })}\n`
}

/** At most `limit` lines of configuration, table by table, and where to go on; `usage_event` once there are no more. */
export const readPersonalRows = Effect.fnUntraced(function* (
  account_id: string,
  person: Person,
  from: PersonalCursor | undefined,
  limit: number
) {
  const rows = yield* PersonalRows
  const lines: string[] = []
  if (from?.table === "usage_event") return { lines, next: from }
  const first = from === undefined ? 0 : personalTableNames.indexOf(from.table)
  for (const [index, table] of personalTableNames.entries()) {
    if (index < first || personalTables[table][person.kind].length === 0) continue
    const after = index === first ? (from?.place ?? "") : ""
    const wanted = limit - lines.length
    const found = yield* rows.naming(account_id, person, table, after, wanted)
    for (const { row } of found) lines.push(printRow(table, person, row))
    const last = found.at(-1)
    if (last !== undefined && found.length === wanted) {
      const next: PersonalCursor = { table, place: last.place }
      return { lines, next }
    }
  }
  const next: PersonalCursor = { table: "usage_event", after: undefined }
  return { lines, next }
})
