/**
 * The cursor of an export of personal data: `<table>.<place>` behind a row of configuration, then `usage_event`, and `usage_event.<cursor>` with
 * a cursor of the export of usage.
 */
import { type ExportCursor, printCursor, readCursor } from "../usage/export/exportCursor.ts"
import { type PersonalTableName, personalTableNames } from "../ports/erasures.ts"

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
