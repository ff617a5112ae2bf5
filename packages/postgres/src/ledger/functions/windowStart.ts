/** The start of the window that holds an instant, in UTC whatever the session's time zone. */
import type { SqlFunction } from "../../migrations/SqlFunction.ts"
import { startOfWindow } from "../intervals.ts"

export const windowStart: SqlFunction = {
  name: "gatewarden_window_start",
  sql: `
create or replace function gatewarden_window_start(asked_interval text, at timestamptz)
returns timestamptz language sql stable as $body$
  select ${startOfWindow("asked_interval", "at")}
$body$
`
}
