/** Tables of an installation from one place to another, with proof that they arrived. */
import type { FileContents } from "@gatewarden/core/store"
import {
  finishLoad,
  loadLines,
  occupiedTables,
  prepareLoad,
  readLines,
  type TransferTable
} from "@gatewarden/postgres/internal"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { type Failed, failed } from "../failure/Failed.ts"
import { contentWriter, fileContentTable, readContentLines, readStoredPieces } from "./fileContentLines.ts"
import { isSameSum, summing, type TableSum } from "./TableSum.ts"

/** Where contents of files are, when they are not in the database. */
type Beside = (typeof FileContents)["Service"] | undefined

type Take = (lines: readonly string[]) => Effect.Effect<void, Failed | SqlError.SqlError, SqlClient.SqlClient>

/** Gives all lines of a table, some at a time, in the order of its primary key. */
export type TableSource = (
  table: TransferTable,
  take: Take
) => Effect.Effect<void, Failed | SqlError.SqlError, SqlClient.SqlClient>

/** The tables of the database at hand, within a transaction. */
export const databaseSource =
  (beside: Beside): TableSource =>
  (table, take) =>
    table.name !== fileContentTable
      ? readLines(table, take)
      : beside === undefined
        ? readStoredPieces(table, take)
        : readContentLines(table, beside, take)

/** Reads a table to its end and sums it up on the way. */
export const summed = Effect.fnUntraced(function* (source: TableSource, table: TransferTable, take?: Take) {
  const { add, sum } = summing()
  yield* source(table, (lines) => {
    add(lines)
    return take === undefined ? Effect.void : take(lines)
  })
  return sum()
})

/** Writes a table into the database at hand, or beside it. */
const fill = Effect.fnUntraced(function* (source: TableSource, table: TransferTable, to: Beside, advance: Advance) {
  const writer = to !== undefined && table.name === fileContentTable ? contentWriter(table, to) : undefined
  const sum = yield* summed(source, table, (lines) =>
    Effect.andThen(writer?.take(lines) ?? loadLines(table, lines), advance(lines.length))
  )
  if (writer !== undefined) yield* writer.end
  return sum
})

type Advance = (rows: number) => Effect.Effect<void>

/** Fails with the tables that have rows. */
export const requireEmpty = Effect.fnUntraced(function* (tables: readonly TransferTable[], place: string) {
  const occupied = yield* occupiedTables(tables)
  if (occupied.length > 0)
    return yield* failed(
      "failure",
      `${place} is not empty (${occupied.slice(0, 3).join(", ")}${occupied.length > 3 ? ", …" : ""}): ` +
        "choose an empty database, which no server has served from"
    )
})

/**
 * Fills empty tables from a source, reads them again, and fails when anything differs from what the source gave, or from the
 * sums that it should have. Within a transaction of the target: nothing of a load that fails is kept.
 */
export const loadTables = Effect.fnUntraced(function* (options: {
  readonly tables: readonly TransferTable[]
  readonly from: TableSource
  readonly beside: Beside
  readonly expected?: Readonly<Record<string, TableSum>>
  readonly advance: Advance
}) {
  const { tables, from, beside, expected, advance } = options
  const sums: Record<string, TableSum> = {}
  yield* prepareLoad(tables)
  for (const table of tables) sums[table.name] = yield* fill(from, table, beside, advance)
  yield* finishLoad(tables)
  for (const table of tables) {
    const kept = yield* summed(databaseSource(beside), table)
    const sent = expected?.[table.name] ?? sums[table.name]
    if (sent === undefined || !isSameSum(kept, sent))
      return yield* failed("failure", `The copy of ${table.name} differs from the original; nothing was written`)
  }
  return sums
})
