import { FileContents } from "@gatewarden/core/effect"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { reading, writing } from "./statements.ts"

/** Bytes of a piece: large enough that a file has few, small enough that no other statement waits long behind one. */
export const pieceSize = 1_048_576

interface Piece {
  readonly position: number
  readonly bytes: Uint8Array
}

export const fileContents = Effect.map(SqlClient.SqlClient, (sql) => {
  const remove = (id: string) => sql`delete from gatewarden_file_content where file_id = ${id}`
  return FileContents.of({
    // No transaction: a content is read only once all of it was put, and a large one would hold a connection for long.
    put: (id, bytes) =>
      Effect.gen(function* () {
        yield* remove(id)
        for (let position = 0; position * pieceSize < bytes.length; position++) {
          const piece = bytes.subarray(position * pieceSize, (position + 1) * pieceSize)
          yield* sql`insert into gatewarden_file_content ${sql.insert({ file_id: id, position, bytes: piece })}`
        }
      }).pipe(writing),
    get: (id) =>
      reading(
        Effect.map(
          sql<Piece>`select position, bytes from gatewarden_file_content where file_id = ${id} order by position`,
          (pieces) => {
            if (pieces.length === 0) return Option.none()
            const whole = new Uint8Array(pieces.reduce((size, piece) => size + piece.bytes.length, 0))
            for (const { position, bytes } of pieces) whole.set(bytes, position * pieceSize)
            return Option.some(whole)
          }
        )
      ),
    remove: (id) => writing(Effect.asVoid(remove(id)))
  })
})
