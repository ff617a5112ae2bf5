/** An embedded database in memory, as a store and as plain SQL: what is claimed is looked up in its own history. */
import type { Store } from "@gatewarden/core"
import { makeStore } from "@gatewarden/core/store"
import { layerPgliteClientsPrepared, layerStore } from "@gatewarden/postgres/internal"
import { Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"

type Row = Readonly<Record<string, unknown>>

export interface DemoDatabase {
  readonly store: Store
  readonly query: (text: string, values?: readonly unknown[]) => Promise<readonly Row[]>
  readonly close: () => Promise<void>
}

export const openDatabase = async (): Promise<DemoDatabase> => {
  const scope = Scope.makeUnsafe()
  const clients = await Effect.runPromise(
    Layer.buildWithScope(layerPgliteClientsPrepared({ dataDir: undefined }), scope)
  )
  return {
    store: makeStore("pglite", layerStore.pipe(Layer.provide(Layer.succeedContext(clients)))),
    query: (text, values = []) =>
      Effect.runPromise(
        Effect.flatMap(SqlClient.SqlClient, (sql) => sql.unsafe<Row>(text, values)).pipe(Effect.provideContext(clients))
      ),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void))
  }
}
