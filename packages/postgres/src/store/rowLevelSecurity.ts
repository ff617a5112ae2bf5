/** Whether the database keeps accounts apart by itself: what doctor reports, and what a server requires that was told to rely on it. */
import { Data, Effect } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { tenantRole } from "../connection/tenantSessions.ts"

export interface RowLevelSecurityState {
  /** Tables that have rows of accounts and do not hold them to one. */
  readonly open: readonly string[]
  /** How many tables are held. */
  readonly held: number
  /** What keeps statements from running under the role; undefined where they can. */
  readonly problem: string | undefined
}

/** Tables that have rows of accounts and no policy, because they have no account: docs/decisions/0011-row-level-security.md. */
export const tablesWithoutPolicy: readonly string[] = [
  "gatewarden_file_content",
  "gatewarden_preset_version",
  "gatewarden_usage_id"
]

const stateText = `
  with tables as (
    select c.oid, c.relname, c.relrowsecurity and exists (
      select from pg_policy p where p.polrelid = c.oid and p.polname = '${tenantRole}' and p.polpermissive
    ) and not exists (select from pg_policy p where p.polrelid = c.oid and p.polname <> '${tenantRole}') as held
    from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p') and c.relname like 'gatewarden\\_%'
      and exists (select from pg_policy p where p.polrelid = c.oid and p.polname = '${tenantRole}')
  ), role as (
    select r.oid, r.rolsuper, r.rolbypassrls, pg_has_role(r.oid, 'member') as is_member from pg_roles r where r.rolname = '${tenantRole}'
  )
  select (select coalesce(json_agg(relname order by relname) filter (where not held), '[]') from tables) as open,
    (select count(*) filter (where held)::int from tables) as held,
    case
      when not exists (select from role) then 'The role ${tenantRole} does not exist'
      when exists (select from role where rolsuper or rolbypassrls) then 'The role ${tenantRole} is a superuser or has BYPASSRLS, so no policy holds it'
      when exists (select from role where not is_member) then 'The user of the connection is no member of ${tenantRole}'
      when exists (select from role r join pg_class c on c.relowner = r.oid where c.relname = 'gatewarden_account')
        then 'The role ${tenantRole} owns the tables, so no policy holds it'
      when exists (select from role r, tables t where not has_table_privilege(r.oid, t.oid, 'select, insert, update, delete'))
        then 'The role ${tenantRole} may not read and write every table'
    end as problem`

export const rowLevelSecurityState: Effect.Effect<RowLevelSecurityState, SqlError.SqlError, SqlClient.SqlClient> =
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql.unsafe<Record<string, unknown>>(stateText)
    return {
      open: (row?.["open"] ?? []) as readonly string[],
      held: Number(row?.["held"]),
      problem: (row?.["problem"] ?? undefined) as string | undefined
    }
  })

/** A server was told to rely on row-level security, and the database does not keep accounts apart. */
export class RowLevelSecurityMissing extends Data.TaggedError("RowLevelSecurityMissing")<{ readonly problem: string }> {
  override readonly message = `GATEWARDEN_ROW_LEVEL_SECURITY is on, and the database does not keep accounts apart: ${this.problem}. docs/operating/postgresql.md has the SQL.`
}

/** What is wrong with a database that is to keep accounts apart; undefined where it does. */
export const rowLevelSecurityProblem = ({ open, problem }: RowLevelSecurityState): string | undefined =>
  problem ?? (open.length === 0 ? undefined : `These tables are not held to an account: ${open.join(", ")}`)

/** Requires that the database keeps accounts apart. Whoever may migrate it switches the policies on. */
export const requireRowLevelSecurity = Effect.fnUntraced(function* (mayChange: boolean) {
  const sql = yield* SqlClient.SqlClient
  const isWhole = Effect.map(rowLevelSecurityState, rowLevelSecurityProblem)
  if ((yield* isWhole) === undefined) return
  if (mayChange) yield* Effect.ignore(sql`select gatewarden_row_level_security(true)`)
  const problem = yield* isWhole
  if (problem !== undefined) return yield* new RowLevelSecurityMissing({ problem })
})
