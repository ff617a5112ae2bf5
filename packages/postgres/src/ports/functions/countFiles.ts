/** Counts files for their workspace and for its account, while they have one. */
import type { SqlFunction } from "../../migrations/SqlFunction.ts"
import { ofChanges } from "./ofChanges.ts"

const countFile = (changes: string): string => `
    perform gatewarden_add_stored(array_agg(c.account_id), 'file', array_agg(c.workspace_id), array_agg(c.n), array_agg(c.bytes))
    from (
      select account_id, unnest(array[workspace_id, '00000000-0000-0000-0000-000000000000']) as workspace_id,
        sum(n)::bigint as n, sum(n * size_bytes)::bigint as bytes
      from (${changes}) changed where workspace_id is not null
      group by account_id, workspace_id having sum(n) <> 0 or sum(n * size_bytes) <> 0
    ) c having count(*) > 0;`

export const countFiles: SqlFunction = {
  name: "gatewarden_count_files",
  sql: `
create or replace function gatewarden_count_files()
returns trigger language plpgsql as $body$${ofChanges("account_id, workspace_id, size_bytes", countFile)}$body$
`
}
