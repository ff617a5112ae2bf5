/**
 * A store of the Promise door. What the layers fail with has its own message, but for errors of SQL, which say that a connection
 * or a statement failed and keep why inside: a host that prints the message of a failed start should read why.
 */
import type { Store } from "@gatewarden/core"
import { type StorePorts, makeStore } from "@gatewarden/core/store"
import { Effect, Layer } from "effect"
import { SqlError } from "effect/sql"
import { describeSqlError } from "../connection/describeSqlError.ts"

const failure = (name: string, error: SqlError.SqlError): Error => {
  const what =
    error.reason.operation === "connect" ? "cannot connect to the database" : "a statement of the start failed"
  return new Error(`${name}: ${what}: ${describeSqlError(error)}`, { cause: error.reason.cause })
}

export const promiseStore = (name: string, layer: Layer.Layer<StorePorts, unknown>): Store =>
  makeStore(
    name,
    Layer.catch(layer, (error) =>
      Layer.effectContext<StorePorts, unknown, never>(
        Effect.fail(SqlError.isSqlError(error) ? failure(name, error) : error)
      )
    )
  )
