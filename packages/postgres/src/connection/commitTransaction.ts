import { Effect } from "effect"
import type { Connection } from "effect/sql/SqlConnection"
import { SqlError, UnknownError } from "effect/sql/SqlError"

/** PostgreSQL answers ROLLBACK to the COMMIT of a transaction in which a statement failed. */
export const commitTransaction = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.flatMap(connection.executeRaw("commit", []), (result) =>
    (result as { readonly command: string }).command === "ROLLBACK"
      ? Effect.fail(
          new SqlError({
            reason: new UnknownError({
              cause: undefined,
              message: "The transaction was rolled back, since a statement in it failed",
              operation: "commit"
            })
          })
        )
      : Effect.void
  )
