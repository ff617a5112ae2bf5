/** A pool of a host that has made everything of it that a store might stumble over. */
import { Effect, type Scope } from "effect"
import { Pool } from "pg"

/** What the host's own parser makes of every column. */
export const hostValue = "the host's"

/** Another time zone and other parsers than the defaults. Ended by its host, when the scope closes. */
export const hostPool = (url: string, most = 10): Effect.Effect<Pool, never, Scope.Scope> =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const pool = new Pool({
        connectionString: url,
        max: most,
        options: "-c timezone=Asia/Kathmandu -c intervalstyle=sql_standard",
        types: { getTypeParser: () => () => hostValue }
      })
      // As every host does: a lost idle connection is no reason to end the process.
      pool.on("error", () => {})
      return pool
    }),
    (pool) => Effect.promise(() => pool.end())
  )
