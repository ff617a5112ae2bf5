/** Renames a user in the ledger, in the transaction that the caller opened. */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { userScopes } from "@gatewarden/core/internal"
import { lockSpending } from "./spending.ts"

const userScopesInSql = `(${userScopes.map((scope) => `'${scope}'`).join(", ")})`

/** An array of budgets or charges, each with the pseudonym where it had the name. */
const renamed = (sql: SqlClient.SqlClient, array: string, name: string, pseudonym: string) => sql`(
    select coalesce(jsonb_agg(
      case when e.element ->> 'scope' in ${sql.literal(userScopesInSql)} and e.element ->> 'entity' = ${name}::text
        then jsonb_set(e.element, '{entity}', to_jsonb(${pseudonym}::text)) else e.element end
      order by e.n
    ), '[]')
    from jsonb_array_elements(${sql.literal(array)}) with ordinality e (element, n)
  )`

/** Charges as earlier versions kept them, if one is of the user. */
const ofUser = (sql: SqlClient.SqlClient, name: string) =>
  sql`jsonb_build_array(jsonb_build_object('scope', 'member', 'entity', ${name}::text))`

/** The entities of budgets of users, as the index of lists has them (migration 0075). */
const userEntities = `'$[*] ? (@.scope == "member" || @.scope == "workspace_default_member").entity'`

/** A space and the id of a workspace, at the end of the name of a user in a workspace. */
const workspaceLength = 37

/** Sums and windows of the user in any workspace: a range of the index, without users whose names are longer. */
const inWorkspace = (sql: SqlClient.SqlClient, name: string) => sql`
  entity >= ${`${name} `}::text and entity < ${`${name}!`}::text and length(entity) = length(${name}::text) + ${workspaceLength}`

/** Which closed holds have the user. Each condition is the one of an index (migration 0068): an account has many holds that were given back. */
const closedOf = (sql: SqlClient.SqlClient, name: string) => ({
  user: sql`state <> 'open' and user_id = ${name}::text`,
  member: sql`state <> 'open' and member is distinct from user_id and member = ${name}::text`,
  charges: sql`state = 'settled' and settlement -> 'charges' <> '[]' and settlement -> 'charges' @> ${ofUser(sql, name)}`
})

/** Renames the user in closed holds, at most so many; answers how many. They stay known until retention, for settlements that are sent again. */
export const eraseClosedHolds = (
  sql: SqlClient.SqlClient,
  account_id: string,
  name: string,
  pseudonym: string,
  atMost: number
) => {
  const hold = sql`select admission_id from gatewarden_hold where account_id = ${account_id}::uuid`
  const { user, member, charges } = closedOf(sql, name)
  return Effect.map(
    sql<{ changed: number }>`
      with due as materialized (
        (${hold} and ${user} limit ${atMost}::int) union (${hold} and ${member} limit ${atMost}::int)
        union (${hold} and ${charges} limit ${atMost}::int)
        order by 1 limit ${atMost}::int
      ), locked as materialized (
        select admission_id from gatewarden_hold where admission_id = any (array(select admission_id from due))
        order by admission_id for update
      ), changed as (
        update gatewarden_hold set
          user_id = case when user_id = ${name}::text then ${pseudonym}::text else user_id end,
          member = case when member = ${name}::text then ${pseudonym}::text else member end,
          settlement = case when settlement -> 'charges' @> ${ofUser(sql, name)}
            then jsonb_set(settlement, '{charges}', ${renamed(sql, "settlement -> 'charges'", name, pseudonym)}) else settlement end
        where admission_id = any (array(select admission_id from locked)) returning 1
      ) select count(*)::int as changed from changed`,
    ([row]) => row?.changed ?? 0
  )
}

/** Whether a hold names the user, open or not. */
const isHeld = (sql: SqlClient.SqlClient, account_id: string, name: string) => {
  const hold = sql`select from gatewarden_hold where account_id = ${account_id}::uuid`
  return Effect.map(
    sql<{ held: boolean }>`
      select exists (${hold} and state = 'open' and (user_id = ${name}::text or member = ${name}::text))
        or exists (${hold} and ${closedOf(sql, name).user}) or exists (${hold} and ${closedOf(sql, name).member})
        or exists (${hold} and ${closedOf(sql, name).charges}) as held`,
    ([row]) => row?.held === true
  )
}

/**
 * Renames the user in everything else of the ledger; undefined, and nothing is done, where a hold has the name again.
 *
 * Nobody records usage or holds money in the account meanwhile: the lock is the one of those who open windows. Call it in a transaction that
 * has changed nothing yet, since whoever records has the lock and may wait for a row. The user holds nothing, so windows are not renamed but
 * removed, and are made again from kept sums when somebody asks, as those are that retention removed.
 */
export const eraseSpender = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  account_id: string,
  name: string,
  pseudonym: string
) {
  yield* lockSpending(sql, account_id, "opening")
  if (yield* isHeld(sql, account_id, name)) return undefined
  yield* sql`
    update gatewarden_spent set entity = ${pseudonym}::text
    where account_id = ${account_id}::uuid and spender = 'user' and entity = ${name}::text`
  yield* sql`
    update gatewarden_spent set entity = ${pseudonym}::text || right(entity, ${workspaceLength})
    where account_id = ${account_id}::uuid and spender = 'workspace_user' and ${inWorkspace(sql, name)}`
  yield* sql`
    delete from gatewarden_budget_window
    where account_id = ${account_id}::uuid and spender = 'user' and entity = ${name}::text`
  yield* sql`
    delete from gatewarden_budget_window
    where account_id = ${account_id}::uuid and spender = 'workspace_user' and ${inWorkspace(sql, name)}`
  // The digest is one of the name, and would make a request of the same name hold this list.
  yield* sql`
    update gatewarden_budget_list set digest = 'erased ' || id::text, budgets = ${renamed(sql, "budgets", name, pseudonym)}
    where account_id = ${account_id}::uuid
      and jsonb_path_query_array(budgets, ${sql.literal(userEntities)}) @> to_jsonb(${name}::text)`
  const [counts = { budget_warning: 0, alert: 0 }] = yield* sql<{ budget_warning: number; alert: number }>`
    with warnings as (
      update gatewarden_budget_warning set entity = ${pseudonym}::text
      where account_id = ${account_id}::uuid and scope in ${sql.literal(userScopesInSql)} and entity = ${name}::text returning 1
    ), alerts as (
      update gatewarden_alert set
        subject = concat_ws(':', data ->> 'scope', data ->> 'guardrail_id', ${pseudonym}::text, data ->> 'interval'),
        data = jsonb_set(data::jsonb, '{entity}', to_jsonb(${pseudonym}::text))::json
      where account_id = ${account_id}::uuid and data ->> 'scope' in ${sql.literal(userScopesInSql)} and data ->> 'entity' = ${name}::text
      returning id, subject
    ), deliveries as (
      update gatewarden_alert_delivery d set subject = a.subject from alerts a
      where d.alert_id = a.id and d.account_id = ${account_id}::uuid
    )
    select (select count(*) from warnings)::int as budget_warning, (select count(*) from alerts)::int as alert`
  return counts
})
