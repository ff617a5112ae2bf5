/** Row-level security on a database of tests: the role that holds for a whole server, and the policies of one database. */
import { execute } from "./postgresServer.ts"

/** Files of tests make it at the same time. */
const makeRole = `do $$ begin
  create role gatewarden_tenant nologin;
exception when duplicate_object or unique_violation then null;
end $$`

export const makeTenantRole = (url: string): Promise<unknown> => execute(url, makeRole)

export const setPolicies = (url: string, isOn: boolean): Promise<unknown> =>
  execute(url, `select gatewarden_row_level_security(${isOn})`)
