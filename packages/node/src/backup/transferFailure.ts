import { describeSqlError } from "@gatewarden/postgres/internal"
import { Effect } from "effect"
import { SqlError } from "effect/sql"
import { Failed, failed } from "../failure/Failed.ts"
import { isOfDatabase, sqlFailure } from "../store/openStore.ts"

/** What SQL that moves whole tables says to the operator when it fails; a row of a foreign installation is no secret of ours. */
export const orTransferFailure = <A, E, R>(effect: Effect.Effect<A, E | Failed | SqlError.SqlError, R>) =>
  Effect.mapError(effect, (error): Failed | Exclude<E, SqlError.SqlError> => {
    if (!SqlError.isSqlError(error)) return error as Failed | Exclude<E, SqlError.SqlError>
    return isOfDatabase(error)
      ? sqlFailure(error)
      : failed("failure", `The database refused: ${describeSqlError(error)}`)
  })
