/**
 * The place of a spender's window in a list of budgets: those of one interval stand together, one for each spender, so that another interval
 * moves none that is kept.
 */
import { spenders } from "@gatewarden/core/store"
import type { SqlFunction } from "../../migrations/SqlFunction.ts"

export const spenderSlot: SqlFunction = {
  name: "gatewarden_spender_slot",
  sql: `
create or replace function gatewarden_spender_slot(asked_spender text, asked_interval text)
returns int language sql immutable as $body$
  select (gatewarden_interval_place(asked_interval) - 1) * ${spenders.length}
    + case asked_spender ${spenders.map((spender, index) => `when '${spender}' then ${index + 1}`).join(" ")} end
$body$
`
}
