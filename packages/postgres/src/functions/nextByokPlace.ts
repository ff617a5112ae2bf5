/** The next place within a group of credentials, which is the caller's until its transaction ends. */
import { type SqlFunction, byKeys } from "./SqlFunction.ts"

export const nextByokPlace: SqlFunction = {
  name: "gatewarden_next_byok_place",
  sql: `
create or replace function gatewarden_next_byok_place(in_workspace uuid, of_provider text, among_fallbacks boolean)
returns int language plpgsql ${byKeys} as $body$
begin
  perform pg_advisory_xact_lock(hashtextextended(
    'gatewarden_byok_credential ' || in_workspace || ' ' || among_fallbacks || ' ' || of_provider, 0));
  return (
    select coalesce(max(sort_order) + 1, 0) from gatewarden_byok_credential
    where workspace_id = in_workspace and provider = of_provider and is_fallback = among_fallbacks);
end
$body$
`
}
