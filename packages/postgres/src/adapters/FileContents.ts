import { FileContents, contentPieceSize, inPieces } from "@gatewarden/core/internal"
import { Effect, Option, Stream } from "effect"
import { SqlClient } from "effect/sql"
import { reading, writing } from "../statements/statements.ts"

interface Piece {
  readonly position: number
  readonly bytes: Uint8Array
}

export const fileContents = Effect.map(SqlClient.SqlClient, (sql) => {
  const remove = (id: string) => writing(Effect.asVoid(sql`delete from gatewarden_file_content where file_id = ${id}`))
  /** The first piece after a position. Those of other versions have other sizes. */
  const after = (id: string, position: number) =>
    reading(
      Effect.map(
        sql<Piece>`
          select position, bytes from gatewarden_file_content where file_id = ${id} and position > ${position}
          order by position limit 1`,
        (rows) => Option.fromUndefinedOr(rows[0])
      )
    )
  return FileContents.of({
    // No transaction: a content is read only once all of it was put, and a large one would hold a connection for long.
    put: (id, content) => {
      let position = 0
      const insert = (bytes: Uint8Array) =>
        writing(sql`insert into gatewarden_file_content ${sql.insert({ file_id: id, position: position++, bytes })}`)
      return remove(id).pipe(
        Effect.andThen(Stream.runForEach(inPieces(contentPieceSize)(content), insert)),
        Effect.onError(() => Effect.ignoreCause(remove(id)))
      )
    },
    get: (id) =>
      Effect.map(
        after(id, -1),
        Option.map((first) =>
          Stream.concat(
            Stream.succeed(first.bytes),
            Stream.unfold(first.position, (position) =>
              Effect.map(
                after(id, position),
                Option.match({ onNone: () => undefined, onSome: (next) => [next.bytes, next.position] as const })
              )
            )
          )
        )
      ),
    remove
  })
})
