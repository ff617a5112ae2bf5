/** Who acted, of the text that a change bears. What does not come through Gatewarden, or is no such text, has the actor `database`. */
import type { SqlFunction } from "../../migrations/SqlFunction.ts"

export const actingFacts: SqlFunction = {
  name: "gatewarden_acting_facts",
  sql: `
create or replace function gatewarden_acting_facts(
  acting text, written_at timestamptz,
  out actor_type text, out actor_id text, out operation text, out request_id text, out at timestamptz
) language plpgsql stable as $body$
declare
  said json := nullif(acting, '')::json;
begin
  actor_type := coalesce(said -> 'actor' ->> 'type', 'database');
  actor_id := said -> 'actor' ->> 'id';
  operation := said ->> 'operation';
  request_id := said ->> 'request_id';
  at := coalesce((said ->> 'at')::timestamptz, written_at);
exception when others then
  actor_type := 'database'; actor_id := null; operation := null; request_id := null; at := written_at;
end
$body$
`
}
