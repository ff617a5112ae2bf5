/** What changes of a directory do to memberships, and to keys and whatever gives keys. Rule: scim#memberships, scim#deprovisioning. */
import { type Settled, type Settling, areLastManagementKeys } from "@gatewarden/core/internal"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { acts } from "./acting.ts"
import { lockLeavingUsers } from "./lockWorkspace.ts"
import { apiKeyOf } from "./keyRows.ts"
import { arrayLiteral } from "./literals.ts"
import { type Columns, fromRow } from "./rows.ts"

/** Whose memberships are to be as the mappings have them, and who is to lose every membership and key; both by `user_id`. */
export interface Affected {
  readonly users: readonly string[]
  readonly gone?: readonly string[]
  /** A workspace whose memberships stay where no mapping gives them any more: they are the directory's no longer. */
  readonly kept?: string
}

/**
 * Changes of one account's directory wait for each other here: whoever comes second sees what the first one did, so that a group and its
 * mapping that are written at once give the membership.
 */
export const lockDirectory = (sql: SqlClient.SqlClient, account_id: string) =>
  sql`select id from gatewarden_account where id = ${account_id} for no key update`

/** The unrestricted live management key that lasts longest of those that are meant, if there is one: an account may have very many. */
export const lastingManagementKeys = (
  sql: SqlClient.SqlClient,
  account_id: string,
  meant: Statement.Fragment,
  now: string
) =>
  Effect.map(
    sql<Columns>`
      select * from gatewarden_api_key
      where account_id = ${account_id} and kind = 'management' and restrictions is null and not disabled
        and (expires_at is null or expires_at > ${now}::timestamptz) and ${meant}
      order by expires_at desc nulls first limit 1`,
    (rows) => rows.map(apiKeyOf)
  )

/**
 * Whether the account could not be managed without the keys of those who are to lose them, to whom no key is given from here on. To be
 * called before the change, in the transaction that holds the directory: revoking a management key waits for the same row, and giving a
 * key waits for the name of a user whom the change adds.
 */
export const wouldLockOut = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  account_id: string,
  gone: readonly string[],
  { now, spared }: Settling
) {
  if (gone.length === 0) return false
  yield* lockLeavingUsers(sql, account_id, gone)
  const isEnding = sql`coalesce(user_id = any(${arrayLiteral(gone)}::text[]) and hash <> ${spared}, false)`
  const ending = yield* lastingManagementKeys(sql, account_id, isEnding, now)
  const others = yield* lastingManagementKeys(sql, account_id, sql`not ${isEnding}`, now)
  return areLastManagementKeys(new Set(ending.map(({ hash }) => hash)), [...ending, ...others], now)
})

/**
 * How many memberships the mappings of an account give, each of them one to every member of its group, and how many of the mappings this
 * group has. To be called in the transaction that holds the directory.
 */
export const mappedMemberships = (sql: SqlClient.SqlClient, account_id: string, group_id: string) =>
  Effect.map(
    sql`
      select coalesce(sum(g.member_count), 0)::bigint as given, count(*) filter (where g.id = ${group_id}::uuid) as mappings
      from gatewarden_group_mapping m join gatewarden_directory_group g on g.id = m.group_id
      where m.account_id = ${account_id}`,
    ([row]) => ({ given: Number(row?.["given"] ?? 0), mappings: Number(row?.["mappings"] ?? 0) })
  )

/** The id of the membership that the directory gives: `membershipId` of core, for the `workspace_id` and `id` of `given`. */
const membershipId = (sql: SqlClient.SqlClient) => {
  const bits = (uuid: "workspace_id" | "id") =>
    sql`('x' || replace(${sql("given")}.${sql(uuid)}::text, '-', ''))::bit(128)`
  return sql`(
    select (lpad(to_hex(mixed::bit(64)::bigint), 16, '0') || lpad(to_hex((mixed << 64)::bit(64)::bigint), 16, '0'))::uuid
    from (
      select (${bits("workspace_id")} # ${bits("id")}) & x'ffffffffffff0fff3fffffffffffffff' | x'00000000000080008000000000000000' as mixed
    ) as both_ids
  )`
}

/**
 * To be called in the transaction that holds the directory, after its change. There may be a hundred thousand memberships, so none of them
 * leaves the database: answers keys alone.
 */
export const reconcileDirectory = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  account_id: string,
  { users, gone = [], kept }: Affected,
  { now, spared }: Settling
) {
  const meant = arrayLiteral(users)
  const lost = arrayLiteral(gone)
  const given = sql`
    select m.workspace_id, u.user_id, u.id,
      case when bool_or(m.role = 'admin') then 'admin' else 'member' end as role
    from gatewarden_directory_user u
    join gatewarden_directory_group_member g on g.member_id = u.id
    join gatewarden_group_mapping m on m.group_id = g.group_id
    where u.account_id = ${account_id} and u.user_id = any(${meant}::text[]) and u.active
    group by m.workspace_id, u.user_id, u.id`
  // `not in` hashes what is given once: inside `or`, PostgreSQL may search it anew for each membership of a `not exists`.
  const isEnded = sql`
    w.account_id = ${account_id} and w.by_directory and w.user_id = any(${meant}::text[])
    and (w.workspace_id, w.user_id) not in (select workspace_id, user_id from given)`
  if (kept !== undefined)
    yield* sql`
      ${acts.with} given as materialized (${given})
      update gatewarden_workspace_member w set by_directory = false where ${isEnded} and w.workspace_id = ${kept}`
  const isLost = sql`((${isEnded}) or (w.account_id = ${account_id} and w.user_id = any(${lost}::text[])))`
  // Before the keys: an exchange that came first is waited for here, and the next statement disables its key.
  yield* sql`
    ${acts.with} given as materialized (${given}), ended as materialized (
      select w.workspace_id, w.user_id from gatewarden_workspace_member w where ${isLost}
    ), codes as (
      delete from gatewarden_authorization_code c
      where c.account_id = ${account_id} and c.spent_at is null
        and c.user_id = any(${lost}::text[] || array(select distinct user_id from ended))
        and (c.user_id = any(${lost}::text[]) or (c.workspace_id, c.user_id) in (select workspace_id, user_id from ended))
    )
    update gatewarden_federation_policy p set disabled = true, updated_at = ${now}
    where p.account_id = ${account_id} and not p.disabled
      -- The index of workspaces finds the policies; it has none of users.
      and p.workspace_id = any(array(
        select workspace_id from ended
        union select id from gatewarden_workspace where account_id = ${account_id} and cardinality(${lost}::text[]) > 0
      ))
      and (p.user_id = any(${lost}::text[]) or (p.workspace_id, p.user_id) in (select workspace_id, user_id from ended))`
  const keys = yield* sql`
    ${acts.with} given as materialized (${given}), ended as (
      delete from gatewarden_workspace_member w where ${isLost}
      returning w.workspace_id, w.user_id
    )
    update gatewarden_api_key k set disabled = true, updated_at = ${now}
    where k.account_id = ${account_id} and not k.disabled and k.hash <> ${spared}
      -- The index of users finds the keys; the condition after it alone would read all of the account.
      and k.user_id = any(${lost}::text[] || array(select distinct user_id from ended))
      and (k.user_id = any(${lost}::text[]) or (k.workspace_id, k.user_id) in (select workspace_id, user_id from ended))
    returning k.hash, k.workspace_id`
  yield* sql`
    ${acts.insert} into gatewarden_workspace_member (workspace_id, user_id, id, account_id, role, created_at, by_directory)
    with given as materialized (${given})
    select given.workspace_id, given.user_id, ${membershipId(sql)}, ${account_id}::uuid, given.role, ${now}::timestamptz, true
    from given
    left join gatewarden_workspace_member w on w.workspace_id = given.workspace_id and w.user_id = given.user_id
    where w.role is distinct from given.role or not w.by_directory
    order by given.workspace_id, given.user_id
    on conflict (workspace_id, user_id) do update set role = excluded.role, by_directory = true`
  return { keys: keys.map((row) => fromRow<Settled["keys"][number]>(row)) }
})
