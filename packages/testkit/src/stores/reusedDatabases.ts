/**
 * Databases that tests of one process use one after the other. Making one and planning its first statements takes longer than most
 * tests, and an embedded one takes two seconds to start; emptying it takes a tenth of one.
 */
import type { StorePorts } from "@gatewarden/core/store"
import { layerStoreWith, type SqlClients } from "@gatewarden/postgres/internal"
import { type Context, Effect, Exit, Layer, Scope } from "effect"
import { SqlClient } from "effect/sql"

/** What a schema without data has; all else was written by a test. */
const kept = ["gatewarden_migration", "gatewarden_function"]

const empty = `do $$
declare
  filled text;
begin
  -- No trigger notes what is done here, and a session that a test left waiting holds up no other test.
  set local session_replication_role = replica;
  set local lock_timeout = '5s';
  select string_agg(oid::regclass::text, ', ') into filled from pg_class
  where relkind = 'r' and relnamespace = 'public'::regnamespace and pg_relation_size(oid) > 0
    and relname not in (${kept.map((name) => `'${name}'`).join(", ")});
  if filled is not null then
    execute 'truncate ' || filled || ' cascade';
  end if;
  perform setval(format('%I.%I', schemaname, sequencename)::regclass, 1, false) from pg_sequences where last_value is not null;
end
$$`

interface Database {
  readonly clients: Context.Context<SqlClients>
  readonly scope: Scope.Closeable
}

/** More would only take memory: few tests have more than two stores at a time. */
const mostIdle = 2

// Each project of a run may load this file anew in one process.
const holder = globalThis as { [key: symbol]: Map<string, Database[]> | undefined }
const idleOf = (holder[Symbol.for("gatewarden.test.databases")] ??= new Map<string, Database[]>())

/** The store over a database that has its schema and no rows: one that another test is done with, or a new one. */
export const layerReused = (
  kind: string,
  layerClients: Layer.Layer<SqlClients, unknown>
): Layer.Layer<StorePorts, unknown> => {
  const idle = idleOf.get(kind) ?? []
  idleOf.set(kind, idle)

  const start = Effect.gen(function* () {
    const scope = yield* Scope.make()
    return { scope, clients: yield* Layer.buildWithScope(layerClients, scope) }
  })

  const end = ({ scope }: Database) => Effect.exit(Scope.close(scope, Exit.void))

  /** For the next test, unless a test has broken it. */
  const giveBack = (database: Database) =>
    Effect.gen(function* () {
      if (idle.length >= mostIdle) return yield* end(database)
      const sql = yield* SqlClient.SqlClient
      // A table that retention dropped would be missing.
      const dropped = yield* sql`select 1 from gatewarden_usage_horizon`
      if (dropped.length > 0) return yield* end(database)
      yield* sql.unsafe(empty)
      idle.push(database)
    }).pipe(
      Effect.provide(database.clients),
      Effect.catchCause(() => end(database))
    )

  const taken = Effect.acquireRelease(
    Effect.suspend(() => {
      const database = idle.pop()
      return database === undefined ? start : Effect.succeed(database)
    }),
    giveBack
  )
  return Layer.provide(
    layerStoreWith({ migrate: "off" }),
    Layer.effectContext(Effect.map(taken, ({ clients }) => clients))
  )
}
