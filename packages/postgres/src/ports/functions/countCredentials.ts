/** Counts credentials, which are also listed by provider. */
import type { SqlFunction } from "../../migrations/SqlFunction.ts"
import { countListed, ofChanges } from "./ofChanges.ts"

const countProviders = (changes: string): string => `
    perform gatewarden_add_stored(array_agg(c.account_id), 'credential ' || c.provider, array_agg(c.workspace_id), array_agg(c.n),
      array_agg(0::bigint))
    from (
      select account_id, workspace_id, provider, sum(n)::bigint as n from (${changes}) changed
      group by account_id, workspace_id, provider having sum(n) <> 0
    ) c group by c.provider;`

export const countCredentials: SqlFunction = {
  name: "gatewarden_count_credentials",
  sql: `
create or replace function gatewarden_count_credentials()
returns trigger language plpgsql as $body$${ofChanges(
    "account_id, workspace_id, provider",
    (changes) => countListed("'credential'", "workspace_id")(changes) + countProviders(changes)
  )}$body$
`
}
