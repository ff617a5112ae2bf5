/** Records the alert of a budget warning, in the step that records the warning. */
import { byKeys, type SqlFunction } from "../../migrations/SqlFunction.ts"
import { alertColumns } from "../alertColumns.ts"

const { type, subject, crossing, data } = alertColumns("new")

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
