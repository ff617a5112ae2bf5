/**
 * Renames a user in the ledger, in the transaction that the caller opened.
 *
 * Nobody records usage or holds money in the account meanwhile: the lock is the one of those who open windows. The user holds nothing, so
 * windows are not renamed but removed, and are made again from kept sums when somebody asks, as those are that retention removed.
 */
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { lockSpending } from "./spending.ts"

/** An array of budgets or charges, each with the pseudonym where it had the name. */
const renamed = (sql: SqlClient.SqlClient, array: string, name: string, pseudonym: string) => sql`(
    select coalesce(jsonb_agg(
      case when e.element ->> 'scope' = 'member' and e.element ->> 'entity' = ${name}::text
        then jsonb_set(e.element, '{entity}', to_jsonb(${pseudonym}::text)) else e.element end
      order by e.n
    ), '[]')
    from jsonb_array_elements(${sql.literal(array)}) with ordinality e (element, n)
  )`

export const eraseSpender = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  account_id: string,
  name: string,
  pseudonym: string
) {
  yield* lockSpending(sql, account_id, "opening")
  const ofUser = sql`jsonb_build_array(jsonb_build_object('scope', 'member', 'entity', ${name}::text))`
  yield* sql`
    update gatewarden_spent set entity = ${pseudonym}::text
    where account_id = ${account_id}::uuid and spender = 'user' and entity = ${name}::text`
  yield* sql`
    delete from gatewarden_budget_window
    where account_id = ${account_id}::uuid and spender = 'user' and entity = ${name}::text`
  // What was held stays known until retention, for settlements that are sent again.
  yield* sql`
    update gatewarden_hold set
      user_id = case when user_id = ${name}::text then ${pseudonym}::text else user_id end,
      member = case when member = ${name}::text then ${pseudonym}::text else member end,
      settlement = case when settlement -> 'charges' @> ${ofUser}
        then jsonb_set(settlement, '{charges}', ${renamed(sql, "settlement -> 'charges'", name, pseudonym)}) else settlement end
    where account_id = ${account_id}::uuid
      and (user_id = ${name}::text or member = ${name}::text or settlement -> 'charges' @> ${ofUser})`
  // The digest is one of the name, and would make a request of the same name hold this list.
  yield* sql`
    update gatewarden_budget_list set digest = 'erased ' || id::text, budgets = ${renamed(sql, "budgets", name, pseudonym)}
    where account_id = ${account_id}::uuid and budgets @> ${ofUser}`
  const [counts = { budget_warning: 0, alert: 0 }] = yield* sql<{ budget_warning: number; alert: number }>`
    with warnings as (
      update gatewarden_budget_warning set entity = ${pseudonym}::text
      where account_id = ${account_id}::uuid and scope = 'member' and entity = ${name}::text returning 1
    ), alerts as (
      update gatewarden_alert set
        subject = concat_ws(':', 'member', data ->> 'guardrail_id', ${pseudonym}::text, data ->> 'interval'),
        data = jsonb_set(data::jsonb, '{entity}', to_jsonb(${pseudonym}::text))::json
      where account_id = ${account_id}::uuid and data ->> 'scope' = 'member' and data ->> 'entity' = ${name}::text
      returning id, subject
    ), deliveries as (
      update gatewarden_alert_delivery d set subject = a.subject from alerts a
      where d.alert_id = a.id and d.account_id = ${account_id}::uuid
    )
    select (select count(*) from warnings)::int as budget_warning, (select count(*) from alerts)::int as alert`
  return counts
})
