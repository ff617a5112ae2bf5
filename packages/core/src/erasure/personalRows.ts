import { Effect } from "effect"
import {
  type Person,
  PersonalRows,
  type PersonalTableName,
  namedIn,
  personalTableNames,
  personalTables
} from "../ports/erasures.ts"
import { type ExportCursor, printCursor, readCursor } from "../usage/export/exportUsageEvents.ts"

/**
 * The cursor of an export of personal data: `<table>.<place>` behind a row of configuration, then `usage_event`, and `usage_event.<cursor>` with
 * a cursor of the export of usage.
 */
export type PersonalCursor =
  | { readonly table: PersonalTableName; readonly place: string }
  | { readonly table: "usage_event"; readonly after: ExportCursor | undefined }

export const printPersonalCursor = (cursor: PersonalCursor): string =>
  cursor.table !== "usage_event"
    ? `${cursor.table}.${cursor.place}`
    : cursor.after === undefined
      ? "usage_event"
      : `usage_event.${printCursor(cursor.after)}`

/** Undefined for a text that no answer had. */
export const readPersonalCursor = (text: string): PersonalCursor | undefined => {
  if (text === "usage_event") return { table: "usage_event", after: undefined }
  const [name = "", rest, ...more] = text.split(".")
  if (rest === undefined || more.length > 0) return undefined
  if (name === "usage_event") {
    const after = readCursor(rest)
    return after === undefined ? undefined : { table: "usage_event", after }
  }
  const table = personalTableNames.find((each) => each === name)
  return table !== undefined && /^[0-9a-f-]{1,64}$/.test(rest) ? { table, place: rest } : undefined
}

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
