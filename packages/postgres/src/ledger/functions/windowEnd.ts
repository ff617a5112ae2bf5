/** The end of the window that starts at an instant, in UTC whatever the session's time zone. */
import type { SqlFunction } from "../../migrations/SqlFunction.ts"
import { endOfWindow } from "../intervals.ts"

export const windowEnd: SqlFunction = {
  name: "gatewarden_window_end",
  sql: `
create or replace function gatewarden_window_end(asked_interval text, start timestamptz)
returns timestamptz language sql stable as $body$
  select ${endOfWindow("asked_interval", "start")}
$body$
`
}
