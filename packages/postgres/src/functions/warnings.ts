import { type SqlFunction, byKeys } from "./SqlFunction.ts"

/** Records a warning once for its window, kind and limit, and answers it; null when it was recorded before, which is found out without writing. */
export const warn: SqlFunction = {
  name: "gatewarden_warn",
  sql: `
create or replace function gatewarden_warn(
  warned_account uuid, warned_workspace uuid, due_kind text, budget jsonb, start timestamptz, spent numeric, held numeric,
  at timestamptz
)
returns json language plpgsql ${byKeys} as $body$
declare
  warned_guardrail uuid := (budget ->> 'guardrail_id')::uuid;
  printed json;
begin
  if exists (
    select from gatewarden_budget_warning w
    where w.account_id = warned_account and w.scope = budget ->> 'scope' and w.entity = budget ->> 'entity'
      and w.interval = budget ->> 'interval' and w.window_start = start and w.kind = due_kind
      and w.limit_nanos = (budget ->> 'limit_nanos')::numeric
      and coalesce(w.guardrail_id, '00000000-0000-0000-0000-000000000000')
        = coalesce(warned_guardrail, '00000000-0000-0000-0000-000000000000')
  ) then
    return null;
  end if;
  insert into gatewarden_budget_warning as w (account_id, workspace_id, kind, scope, entity, guardrail_id, interval,
    window_start, include_byok, limit_nanos, spent_nanos, held_nanos, created_at)
  values (warned_account, warned_workspace, due_kind, budget ->> 'scope', budget ->> 'entity', warned_guardrail,
    budget ->> 'interval', start, (budget ->> 'include_byok')::boolean, (budget ->> 'limit_nanos')::numeric, spent, held, at)
  on conflict do nothing
  returning json_build_object(
    'workspace_id', w.workspace_id, 'kind', w.kind, 'scope', w.scope, 'entity', w.entity, 'guardrail_id', w.guardrail_id,
    'interval', w.interval, 'include_byok', w.include_byok, 'limit_nanos', w.limit_nanos::text,
    'spent_nanos', w.spent_nanos::text, 'held_nanos', w.held_nanos::text,
    'start', case when isfinite(w.window_start) then (extract(epoch from w.window_start) * 1000)::bigint::text end,
    'at', floor(extract(epoch from w.created_at) * 1000)::bigint::text
  ) into printed;
  return printed;
end
$body$
`
}

/** What the alert of a budget warning is about, from the columns of the warning. */
const usd = (nanos: string): string => `trim_scale(${nanos} * 0.000000001)::text`

/** `row`: the name of a row of the table of warnings. */
export const alertColumns = (row: string) => ({
  type: `'budget.' || ${row}.kind`,
  subject: `concat_ws(':', ${row}.scope, ${row}.guardrail_id::text, ${row}.entity, ${row}.interval)`,
  crossing: `case when isfinite(${row}.window_start) then (extract(epoch from ${row}.window_start) * 1000)::bigint::text else 'lifetime' end
      || ':' || ${row}.limit_nanos::text`,
  data: `json_build_object(
      'scope', ${row}.scope, 'entity', ${row}.entity, 'guardrail_id', ${row}.guardrail_id, 'interval', ${row}.interval,
      'window_start', case when isfinite(${row}.window_start)
        then to_char(${row}.window_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end,
      'limit_usd', ${usd(`${row}.limit_nanos`)}, 'spent_usd', ${usd(`${row}.spent_nanos`)}, 'held_usd', ${usd(`${row}.held_nanos`)}
    )`
})

const { type, subject, crossing, data } = alertColumns("new")

/** Records the alert of a budget warning, in the step that records the warning. */
export const alertOfWarning: SqlFunction = {
  name: "gatewarden_alert_of_warning",
  sql: `
create or replace function gatewarden_alert_of_warning()
returns trigger language plpgsql ${byKeys} as $body$
begin
  perform gatewarden_raise_alert(
    new.account_id, new.workspace_id, ${type},
    ${subject},
    ${crossing},
    ${data},
    new.created_at
  );
  return null;
end
$body$
`
}

/**
 * Records an alert with a delivery for each channel that hears of it. False where it was recorded before, and where nobody hears of it: both
 * are found out without writing.
 */
export const raiseAlert: SqlFunction = {
  name: "gatewarden_raise_alert",
  sql: `
create or replace function gatewarden_raise_alert(
  raised_account uuid, raised_workspace uuid, raised_type text, raised_subject text, raised_crossing text, raised_data json,
  at timestamptz
)
returns boolean language plpgsql ${byKeys} as $body$
declare
  raised_id uuid := gen_random_uuid();
begin
  if not exists (
    select from gatewarden_alert_channel c
    where c.workspace_id = raised_workspace and (c.account_id = raised_account) is true and c.enabled
      and raised_type = any (c.events)
  ) then
    return false;
  end if;
  insert into gatewarden_alert (id, account_id, workspace_id, type, subject, crossing, data, created_at)
  values (raised_id, raised_account, raised_workspace, raised_type, raised_subject, raised_crossing, raised_data, at)
  on conflict (account_id, subject, type, crossing) do nothing;
  if not found then
    return false;
  end if;
  insert into gatewarden_alert_delivery (alert_id, channel_id, account_id, workspace_id, type, subject, created_at, due_at)
  select raised_id, c.id, raised_account, raised_workspace, raised_type, raised_subject, at, at from gatewarden_alert_channel c
  where c.workspace_id = raised_workspace and (c.account_id = raised_account) is true and c.enabled
    and raised_type = any (c.events);
  return true;
end
$body$
`
}
