import { Effect } from "effect"
import { SqlError } from "effect/sql"
import { exitCode } from "../exitCode.ts"
import { Failed, failed } from "../Failed.ts"

/** What SQL that moves whole tables says to the operator when it fails; a row of a foreign installation is no secret of ours. */
export const orTransferFailure = <A, E, R>(effect: Effect.Effect<A, E | Failed | SqlError.SqlError, R>) =>
  Effect.mapError(effect, (error): Failed | Exclude<E, SqlError.SqlError> => {
    if (!SqlError.isSqlError(error)) return error as Failed | Exclude<E, SqlError.SqlError>
    const cause: unknown = error.reason.cause
    const detail = (cause instanceof Error && cause.message !== "" ? cause.message : error.message).split("\n")[0]
    return error.reason._tag === "ConnectionError" || error.reason._tag === "AuthenticationError"
      ? failed(exitCode.unavailable, `The database does not answer: ${detail}`)
      : failed(exitCode.failure, `The database refused: ${detail}`)
  })
