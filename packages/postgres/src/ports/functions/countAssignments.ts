/** Counts assignments in their guardrail. They may move from one to another. Their kind is the argument. */
import type { SqlFunction } from "../../migrations/SqlFunction.ts"
import { countListed, ofChanges } from "./ofChanges.ts"

export const countAssignments: SqlFunction = {
  name: "gatewarden_count_assignments",
  sql: `
create or replace function gatewarden_count_assignments()
returns trigger language plpgsql as $body$${ofChanges("account_id, guardrail_id", countListed("tg_argv[0]", "guardrail_id"))}$body$
`
}
