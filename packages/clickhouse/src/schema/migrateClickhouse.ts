import { Effect } from "effect"
import type { Clickhouse } from "../connection/openClickhouse.ts"
import { type SchemaOptions, schemaStatements } from "./statements.ts"

/** Creates what is missing. Two at once do no harm. */
export const migrateClickhouse = ({ run }: Clickhouse, options: SchemaOptions): Effect.Effect<void> =>
  Effect.forEach(schemaStatements(options), (statement) => run(statement), { discard: true })
