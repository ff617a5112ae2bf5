/** Records the alert of a budget warning, in the step that records the warning. */
import { byKeys, type SqlFunction } from "../../migrations/SqlFunction.ts"

const usd = (nanos: string): string => `trim_scale(${nanos} * 0.000000001)::text`

export const alertOfWarning: SqlFunction = {
  name: "gatewarden_alert_of_warning",
  sql: `
create or replace function gatewarden_alert_of_warning()
returns trigger language plpgsql ${byKeys} as $body$
begin
  perform gatewarden_raise_alert(
    new.account_id, new.workspace_id, 'budget.' || new.kind,
    concat_ws(':', new.scope, new.guardrail_id::text, new.entity, new.interval),
    case when isfinite(new.window_start) then (extract(epoch from new.window_start) * 1000)::bigint::text else 'lifetime' end
      || ':' || new.limit_nanos::text,
    json_build_object(
      'scope', new.scope, 'entity', new.entity, 'guardrail_id', new.guardrail_id, 'interval', new.interval,
      'window_start', case when isfinite(new.window_start)
        then to_char(new.window_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end,
      'limit_usd', ${usd("new.limit_nanos")}, 'spent_usd', ${usd("new.spent_nanos")}, 'held_usd', ${usd("new.held_nanos")}
    ),
    new.created_at
  );
  return null;
end
$body$
`
}
