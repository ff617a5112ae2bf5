/**
 * The place of a budget's window in its list: those of one interval stand together, for a key, a user and a workspace, so that another interval
 * moves none that is kept.
 */
import type { SqlFunction } from "../../migrations/SqlFunction.ts"

export const budgetSlot: SqlFunction = {
  name: "gatewarden_budget_slot",
  sql: `
create or replace function gatewarden_budget_slot(scope text, asked_interval text)
returns int language sql immutable as $body$
  select (gatewarden_interval_place(asked_interval) - 1) * 3 + case scope when 'member' then 2 when 'workspace_budget' then 3 else 1 end
$body$
`
}
