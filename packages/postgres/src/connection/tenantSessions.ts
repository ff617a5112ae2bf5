/**
 * Sessions of PostgreSQL that see the rows of one account, by its row-level security.
 *
 * Role and account are settings of the session: it takes a statement to set them, and none while the session serves the same account.
 * Docs: docs/decisions/0011-row-level-security.md
 */
import type { PgConnection, PgPool } from "@effect/sql-pg"
import { Context, Effect } from "effect"
import type { SqlError } from "effect/sql"

/**
 * The account that a call of a port is for, where the database itself keeps accounts apart.
 *
 * The account to whose rows statements are held; undefined for what runs for all accounts.
 */
export const TenantScope = Context.Reference<string | undefined>("gatewarden/TenantScope", {
  defaultValue: () => undefined
})

/** Whether the clients hold statements to their `TenantScope`. */
export const RowLevelSecurity = Context.Reference<boolean>("gatewarden/RowLevelSecurity", {
  defaultValue: () => false
})

/** The role under which statements of an account run. It owns no table and bypasses no policy. */
export const tenantRole = "gatewarden_tenant"

type Session = PgConnection.PgConnection

const enterText = "select set_config('role', $1, false), set_config('gatewarden.account', $2, false)"

export const tenantSessions = (pool: PgPool.PgPool) => {
  /** What each session was set to last. A session that is not listed is as it was opened: for all accounts. */
  const scopes = new WeakMap<Session, string | undefined>()

  /** While a session is set nobody knows what it is set to, nor after it failed: the next user sets it again. */
  const enter = (session: Session): Effect.Effect<Session, SqlError.SqlError> =>
    Effect.flatMap(TenantScope, (account) => {
      if (scopes.has(session) ? scopes.get(session) === account : account === undefined) return Effect.succeed(session)
      scopes.set(session, "unknown")
      const parameters = account === undefined ? ["none", ""] : [tenantRole, account]
      return Effect.map(session.query(enterText, parameters), () => {
        scopes.set(session, account)
        return session
      })
    })

  return {
    /** A session of its own until the scope closes, for a transaction too: the setting is made before it begins, so no rollback undoes it. */
    get: Effect.flatMap(pool.get, enter),
    use: <A, E, R>(work: (session: Session) => Effect.Effect<A, E, R>): Effect.Effect<A, E | SqlError.SqlError, R> =>
      pool.use((session) => Effect.flatMap(enter(session), work))
  }
}

export type TenantSessions = ReturnType<typeof tenantSessions>
