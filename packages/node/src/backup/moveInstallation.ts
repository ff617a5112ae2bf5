/** An embedded installation becomes a PostgreSQL one. Rule: operating#moving-an-installation: the same keyring decrypts both. */
import { checkSecrets, layerVault, FileContents } from "@gatewarden/core/internal"
import {
  countRows,
  inLoad,
  inSnapshot,
  layerPostgres,
  layerSealedSecrets,
  migrate,
  readTables,
  schema
} from "@gatewarden/postgres/internal"
import { Clock, Context, Effect, Layer, type Redacted, type Scope } from "effect"
import { bucketOf } from "../config/fileVariables.ts"
import type { Configuration } from "../config/readConfiguration.ts"
import { failed } from "../failure/Failed.ts"
import { layerPlatform } from "../platform/layerPlatform.ts"
import { openStore, orStartFailure } from "../store/openStore.ts"
import { writeMoved } from "../store/movedFile.ts"
import { compareSizes, describeIncomplete } from "./fileContentLines.ts"
import { databaseSource, loadTables, requireEmpty } from "./transferTables.ts"
import { orTransferFailure } from "./transferFailure.ts"

export interface MoveOptions {
  readonly configuration: Configuration
  readonly to: Redacted.Redacted<string>
  /** The target without its passwords, for the operator and for the mark that is left behind. */
  readonly shown: string
  /** Shows rows as they arrive, of as many as there are. */
  readonly counting: (total: number) => Effect.Effect<(rows: number) => Effect.Effect<void>, never, Scope.Scope>
}

/**
 * Copies everything in one transaction of the target, so that a move that dies leaves it empty and may be repeated. The
 * source stays as it is, but for a mark that says where its installation went.
 */
export const moveInstallation = Effect.fnUntraced(function* ({ configuration, to, shown, counting }: MoveOptions) {
  const store = yield* openStore(configuration, { evenIfMoved: true })
  const source = store.sql
  if (source === undefined) return yield* failed("store", "Only an embedded installation can be moved")
  const target = yield* orStartFailure(Layer.build(layerPostgres({ url: to })))
  yield* orStartFailure(Effect.provideContext(migrate(schema), target))
  // A bucket keeps its contents, and the database that the installation moves to goes on with it.
  const isInBucket = bucketOf(configuration.values) !== undefined
  const from = databaseSource(isInBucket ? undefined : Context.get(store.ports, FileContents))

  const moved = Effect.gen(function* () {
    const tables = yield* readTables
    const total = yield* countRows(tables)
    return yield* Effect.flatMap(counting(total), (advance) =>
      Effect.provideContext(
        Effect.gen(function* () {
          const own = yield* readTables
          yield* requireEmpty(own, shown)
          const sizes = compareSizes()
          const sums = yield* loadTables({
            tables: own,
            from: (table, take) =>
              Effect.provideContext(
                from(table, (lines) => {
                  sizes.add(
                    table.name,
                    table.columns.map(({ name }) => name),
                    lines
                  )
                  return Effect.provideContext(take(lines), target)
                }),
                source
              ),
            beside: undefined,
            advance
          })
          const incomplete = isInBucket ? [] : sizes.incomplete()
          if (incomplete.length > 0)
            return yield* failed(
              "failure",
              describeIncomplete(incomplete),
              "Nothing was moved. Put these contents back, " +
                "or restore a backup without them: gatewarden backup --allow-missing-contents"
            )
          const secrets = yield* checkSecrets().pipe(
            Effect.provide(Layer.merge(layerVault(store.keyring), layerSealedSecrets))
          )
          if (secrets.unreadable > 0)
            return yield* failed(
              "keyring",
              `The keyring does not decrypt ${secrets.unreadable} secrets (encrypted by ${secrets.foreign_key_ids.join(", ")}); nothing was kept`
            )
          return { tables: sums, secrets: secrets.opened }
        }).pipe(inLoad),
        target
      )
    ).pipe(Effect.scoped)
  })
  const result = yield* orTransferFailure(Effect.provideContext(inSnapshot(moved), source))
  const at = new Date(yield* Clock.currentTimeMillis).toISOString()
  yield* Effect.promise(() => writeMoved(configuration.values.GATEWARDEN_DATA_DIR, { to: shown, at }))
  return result
}, Effect.provide(layerPlatform))
