/** Counts external users for their account, and those that are active, which are listed by themselves. */
import type { SqlFunction } from "../../migrations/SqlFunction.ts"
import { ofChanges } from "./ofChanges.ts"

const counted = (kind: string, condition: string) => (changes: string) =>
  `
    perform gatewarden_add_stored(array_agg(c.account_id), '${kind}',
      array_agg('00000000-0000-0000-0000-000000000000'::uuid), array_agg(c.n), array_agg(0::bigint))
    from (
      select account_id, sum(n)::bigint as n from (${changes}) changed where ${condition} group by account_id having sum(n) <> 0
    ) c having count(*) > 0;`

export const countExternalUsers: SqlFunction = {
  name: "gatewarden_count_external_users",
  sql: `
create or replace function gatewarden_count_external_users()
returns trigger language plpgsql as $body$${ofChanges(
    "account_id, is_active",
    (changes) => counted("external_user", "true")(changes) + counted("active_external_user", "is_active")(changes)
  )}$body$
`
}
