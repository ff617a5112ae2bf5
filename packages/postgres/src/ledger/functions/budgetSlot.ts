/** The place of a window among those of a key, a user and a workspace, each of which has one for each interval. */
import type { SqlFunction } from "../../migrations/SqlFunction.ts"

export const budgetSlot: SqlFunction = {
  name: "gatewarden_budget_slot",
  sql: `
create or replace function gatewarden_budget_slot(scope text, asked_interval text)
returns int language sql immutable as $body$
  select case scope when 'member' then 4 when 'workspace_budget' then 8 else 0 end
    + case asked_interval when 'daily' then 1 when 'weekly' then 2 when 'monthly' then 3 else 4 end
$body$
`
}
