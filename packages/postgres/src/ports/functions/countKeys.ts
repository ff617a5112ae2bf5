/** Counts keys for their account and workspace. */
import type { SqlFunction } from "../../migrations/SqlFunction.ts"
import { ofChanges } from "./ofChanges.ts"

const countKey = (changes: string): string => `
    perform gatewarden_add_keys(array_agg(account_id), array_agg(workspace_id), array_agg(disabled), array_agg(n))
    from (${changes}) changed having count(*) > 0;`

export const countKeys: SqlFunction = {
  name: "gatewarden_count_keys",
  sql: `
create or replace function gatewarden_count_keys()
returns trigger language plpgsql as $body$${ofChanges("account_id, workspace_id, disabled", countKey)}$body$
`
}
