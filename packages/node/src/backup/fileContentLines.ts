/** Contents of files that are kept beside the database, as the rows that a database keeps them in, and back. */
import { contentPieceSize, type FileContents, inPieces } from "@gatewarden/core/internal"
import type { TransferTable } from "@gatewarden/postgres/internal"
import { Effect, Option, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { Buffer } from "node:buffer"

export const fileContentTable = "gatewarden_file_content"

type Contents = (typeof FileContents)["Service"]

/** A line with the columns in their order. */
const lineOf = (table: TransferTable, row: Readonly<Record<string, string>>): string =>
  JSON.stringify(table.columns.map(({ name }) => row[name] ?? null))

/**
 * Reads the pieces of every file that is stored, in the order of their primary key. A file whose content is gone, because it
 * was deleted meanwhile, has none.
 */
export const readContentLines = Effect.fnUntraced(function* <E, R>(
  table: TransferTable,
  contents: Contents,
  take: (lines: readonly string[]) => Effect.Effect<void, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  const files = yield* sql<{ id: string }>`select id from gatewarden_file where state = 'stored' order by id`
  for (const { id } of files) {
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
