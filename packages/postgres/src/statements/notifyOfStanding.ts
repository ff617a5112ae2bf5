/**
 * Tells a new channel of the crossings that still hold, in the transaction that inserts it. Rule: alerts#alerts-for-a-new-channel.
 *
 * Budgets come from their warnings, because an alert is recorded only if a channel heard of it. Other crossings come from the alerts: those that
 * nobody was told of are detected within a minute.
 */
import { maxStandingAlerts, warningKinds } from "@gatewarden/core/internal"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { alertColumns } from "../functions/warnings.ts"
import { askedInstant } from "./statements.ts"

const columns = alertColumns("w")

const millisOf = (column: string): string => `floor(extract(epoch from ${column}) * 1000)::bigint::text`

/** Whether the limit of a warning `w` is the limit that the budget has now. */
const limitStands = `case
  when w.scope = 'key_limit' then exists (
    select from gatewarden_api_key k where k.hash = w.entity and k.account_id = w.account_id
      and k.limit_nanos = w.limit_nanos and coalesce(k.limit_reset, 'lifetime') = w.interval)
  when w.scope = 'workspace_budget' then exists (
    select from gatewarden_workspace_budget b where b.workspace_id = w.workspace_id and b.account_id = w.account_id
      and b.interval = w.interval and b.limit_nanos = w.limit_nanos)
  else exists (
    select from gatewarden_guardrail g where g.id = w.guardrail_id and g.account_id = w.account_id
      and g.limit_nanos = w.limit_nanos and coalesce(g.reset_interval, 'lifetime') = w.interval)
end`

/** Whether what an alert `a` tells, of a key or a destination, is still so at `clock.at`. */
const alertStands = `case a.type
  when 'key.expiring' then exists (
    select from gatewarden_api_key k where k.hash = a.subject and k.account_id = a.account_id and k.expires_at > clock.at
      and not k.disabled and k.revoked_at is null and split_part(a.crossing, ':', 2) = ${millisOf("k.expires_at")})
  when 'destination.failing' then exists (
    select from gatewarden_delivery_state s join gatewarden_destination d on d.id = s.destination_id and d.enabled
    where s.destination_id = a.subject::uuid and s.account_id = a.account_id
      and a.crossing in (${millisOf("s.failing_since")}, ${millisOf("s.refusing_since")}))
  when 'destination.dead_letters' then a.crossing = to_char(clock.at at time zone 'UTC', 'YYYY-MM-DD')
  else false
end`

export const notifyOfStanding = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, account_id: string, id: string) {
  const now = yield* askedInstant
  yield* sql`
    with clock as materialized (select coalesce(${now}::timestamptz, clock_timestamp()) as at), told as materialized (
      select * from gatewarden_alert_channel where id = ${id} and account_id = ${account_id} and enabled
    ), warned as (
      select distinct on (w.scope, w.entity, w.guardrail_id, w.interval) w.*
      from clock cross join told
      join gatewarden_budget_warning w on w.account_id = told.account_id and w.workspace_id = told.workspace_id
      where 'budget.' || w.kind = any (told.events) and w.window_start = gatewarden_window_start(w.interval, clock.at)
        and ${sql.literal(limitStands)}
      order by w.scope, w.entity, w.guardrail_id, w.interval, array_position(${[...warningKinds]}::text[], w.kind) desc
    ), crossed as materialized (
      select w.account_id, w.workspace_id, ${sql.literal(columns.type)} as type, ${sql.literal(columns.subject)} as subject,
        ${sql.literal(columns.crossing)} as crossing, ${sql.literal(columns.data)} as data
      from warned w order by w.created_at desc, w.id desc limit ${maxStandingAlerts}::int
    ), recorded as (
      insert into gatewarden_alert (id, account_id, workspace_id, type, subject, crossing, data, created_at)
      select gen_random_uuid(), c.*, clock.at from crossed c cross join clock
      on conflict (account_id, subject, type, crossing) do nothing
      returning id, type, subject
    ), standing as (
      select distinct on (a.type, a.subject) a.id, a.type, a.subject, a.created_at
      from clock cross join told
      join gatewarden_alert a on a.account_id = told.account_id and a.workspace_id = told.workspace_id
      where a.type = any (told.events) and ${sql.literal(alertStands)}
      order by a.type, a.subject, a.created_at desc
    ), found as (
      select id, type, subject from recorded
      union all
      select a.id, a.type, a.subject from crossed c
      join gatewarden_alert a on a.account_id = c.account_id and a.subject = c.subject and a.type = c.type and a.crossing = c.crossing
      union all
      (select id, type, subject from standing order by created_at desc limit ${maxStandingAlerts}::int)
    )
    insert into gatewarden_alert_delivery (alert_id, channel_id, account_id, workspace_id, type, subject, created_at, due_at)
    select f.id, told.id, told.account_id, told.workspace_id, f.type, f.subject, clock.at, clock.at
    from found f cross join told cross join clock`
})
