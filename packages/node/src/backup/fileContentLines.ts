/** Contents of files that are kept beside the database, as the rows that a database keeps them in, and back. */
import { contentPieceSize, type FileContents, inPieces } from "@gatewarden/core/internal"
import { readLines, type TransferTable } from "@gatewarden/postgres/internal"
import { Effect, Option, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { Buffer } from "node:buffer"

const fileTable = "gatewarden_file"
export const fileContentTable = "gatewarden_file_content"

type Contents = (typeof FileContents)["Service"]

/** A line with the columns in their order. */
const lineOf = (table: TransferTable, row: Readonly<Record<string, string>>): string =>
  JSON.stringify(table.columns.map(({ name }) => row[name] ?? null))

const storedFiles = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ id: string }>`select id from gatewarden_file where state = 'stored' order by id`
  return rows.map(({ id }) => id)
})

/** Reads the pieces of every file that is stored from the database, without those of uploads that arrive and of files that leave. */
export const readStoredPieces = Effect.fnUntraced(function* <E, R>(
  table: TransferTable,
  take: (lines: readonly string[]) => Effect.Effect<void, E, R>
) {
  const stored = new Set(yield* storedFiles)
  const at = table.columns.findIndex(({ name }) => name === "file_id")
  const isStored = (line: string) => stored.has((JSON.parse(line) as readonly string[])[at] ?? "")
  yield* readLines(table, (lines) => take(lines.filter(isStored)))
})

/**
 * Reads the pieces of every file that is stored, in the order of their primary key. A missing content has none: the file may have been
 * deleted meanwhile. `compareSizes` finds it.
 */
export const readContentLines = Effect.fnUntraced(function* <E, R>(
  table: TransferTable,
  contents: Contents,
  take: (lines: readonly string[]) => Effect.Effect<void, E, R>
) {
  for (const id of yield* storedFiles) {
    yield* Effect.scoped(
      Effect.gen(function* () {
        const content = Option.getOrUndefined(yield* contents.get(id))
        if (content === undefined) return
        let position = 0
        yield* Stream.runForEach(inPieces(contentPieceSize)(content), (piece) => {
          const text = `\\x${Buffer.from(piece).toString("hex")}`
          return take([lineOf(table, { file_id: id, position: String(position++), bytes: text })])
        })
      })
    )
  }
})

/**
 * Compares the bytes of each content with the size in the row of its file, while the lines of both tables are copied. Files of a deleted
 * workspace do not count, because the server is removing them.
 */
export const compareSizes = () => {
  const expected = new Map<string, number>()
  const read = new Map<string, number>()
  const add = (table: string, columns: readonly string[], lines: readonly string[]): void => {
    if (table !== fileTable && table !== fileContentTable) return
    for (const line of lines) {
      const values = JSON.parse(line) as readonly (string | null)[]
      const at = (name: string) => values[columns.indexOf(name)] ?? undefined
      if (table === fileTable) {
        if (at("state") === "stored" && at("workspace_id") !== undefined)
          expected.set(at("id") ?? "", Number(at("size_bytes")))
      } else {
        const id = at("file_id") ?? ""
        read.set(id, (read.get(id) ?? 0) + Buffer.byteLength((at("bytes") ?? "").slice(2), "hex"))
      }
    }
  }
  /** The ids of files whose content is missing or has another size. */
  const incomplete = (): readonly string[] =>
    [...expected].flatMap(([id, size]) => ((read.get(id) ?? 0) === size ? [] : [id]))
  return { add, incomplete }
}

/** Those of the files that are still stored. A snapshot also has files that were deleted after it was taken. */
export const stillStored = Effect.fnUntraced(function* (ids: readonly string[]) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ id: string }>`
    select id from gatewarden_file
    where state = 'stored' and workspace_id is not null
      and id in (select jsonb_array_elements_text(${JSON.stringify(ids)}::jsonb))
    order by id`
  return rows.map(({ id }) => id)
})

const mostNamed = 10

export const describeIncomplete = (ids: readonly string[]): string =>
  `The contents of ${ids.length} files are missing or have another size: ` +
  `${ids.slice(0, mostNamed).join(", ")}${ids.length > mostNamed ? ", …" : ""}`

/** Puts contents together from lines in that order. `end` puts the last. */
export const contentWriter = (table: TransferTable, contents: Contents) => {
  const at = (name: string) => table.columns.findIndex((column) => column.name === name)
  const [idAt, bytesAt] = [at("file_id"), at("bytes")]
  let id: string | undefined
  let pieces: Buffer[] = []
  const end = Effect.suspend(() => {
    if (id === undefined) return Effect.void
    const put = contents.put(id, Stream.fromIterable(pieces))
    id = undefined
    pieces = []
    return put
  })
  const take = Effect.fnUntraced(function* (lines: readonly string[]) {
    for (const line of lines) {
      const row = JSON.parse(line) as readonly (string | null)[]
      const [file = "", bytes = ""] = [row[idAt] ?? "", row[bytesAt] ?? ""]
      if (file !== id) yield* end
      id = file
      pieces.push(Buffer.from(bytes.slice(2), "hex"))
    }
  })
  return { take, end }
}
