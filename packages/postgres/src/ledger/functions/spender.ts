/** The spender of a budget, by its scope. */
import { BudgetScope } from "@gatewarden/contract"
import { spenderOf } from "@gatewarden/core/store"
import type { SqlFunction } from "../../migrations/SqlFunction.ts"

export const spender: SqlFunction = {
  name: "gatewarden_spender",
  sql: `
create or replace function gatewarden_spender(scope text)
returns text language sql immutable as $body$
  select case scope ${BudgetScope.options.map((scope) => `when '${scope}' then '${spenderOf({ scope })}'`).join(" ")} end
$body$
`
}
