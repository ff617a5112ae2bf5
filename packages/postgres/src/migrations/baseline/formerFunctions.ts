/** Functions that triggers of the baseline name until a later migration drops both: they never run. */
import type { SqlFunction } from "../../functions/SqlFunction.ts"

const former = (name: string): SqlFunction => ({
  name,
  sql: `create or replace function ${name}() returns trigger language plpgsql as $body$ begin return null; end $body$`
})

export const formerFunctions: readonly SqlFunction[] = [
  "gatewarden_log_change",
  "gatewarden_log_account_change",
  "gatewarden_log_change_in_workspace",
  "gatewarden_log_change_of_owner",
  "gatewarden_log_key_change"
].map(former)
