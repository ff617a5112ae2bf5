/**
 * Analytics answers the same from sums as from events. Rule: analytics#sources.
 *
 * Sets of cells are kept whatever they save: otherwise the few events of a test would have none.
 */
import { analyticsAgreement } from "@gatewarden/conformance/internal/usage/AnalyticsReader.suite"
import { createMigratedDatabase } from "@gatewarden/testkit/stores/migratedDatabases"
import { execute } from "@gatewarden/testkit/stores/postgresServer"
import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import { layerPostgres } from "../../postgres/src/connection/layerPostgres.ts"
import { layerStore } from "../../postgres/src/store/layerStore.ts"

const keepAll = `
  create or replace function gatewarden_is_useful_set(cells bigint, events bigint)
  returns boolean language sql immutable as 'select true'`

const summed = Layer.unwrap(
  Effect.promise(async () => {
    const url = await createMigratedDatabase(inject("postgres"))
    await execute(url, keepAll)
    return layerStore.pipe(Layer.provide(layerPostgres({ url: Redacted.make(url) })))
  })
)

analyticsAgreement("PostgreSQL that sums every day", () => summed, { runs: 150 })
