/** Counts rows that are listed in their workspace. Their kind is the argument. */
import type { SqlFunction } from "../../migrations/SqlFunction.ts"
import { countListed, ofChanges } from "./ofChanges.ts"

export const countInWorkspace: SqlFunction = {
  name: "gatewarden_count_in_workspace",
  sql: `
create or replace function gatewarden_count_in_workspace()
returns trigger language plpgsql as $body$${ofChanges("account_id, workspace_id", countListed("tg_argv[0]", "workspace_id"))}$body$
`
}
