/** Who acted, of the text that a change bears. What does not come through Gatewarden, or is no such text, has the actor `database`. */
import type { SqlFunction } from "../../migrations/SqlFunction.ts"

/**
 * The same facts of many changes, in a third of the time: a subquery that has them beside the columns of `changes`. It fails where a text is
 * not what Gatewarden writes. `offset 0`: each text is read once.
 */
export const plainFactsSql = (changes: string): string => `(
    select c.*, coalesce(said -> 'actor' ->> 'type', 'database') as actor_type, said -> 'actor' ->> 'id' as actor_id,
      said ->> 'operation' as operation, said ->> 'request_id' as request_id, coalesce((said ->> 'at')::timestamptz, created_at) as at
    from (select c.*, nullif(c.acting, '')::jsonb as said from ${changes} c offset 0) c offset 0
  )`

/** The same, whatever the texts are. */
export const factsSql = (changes: string): string => `(
    select c.*, facts.* from ${changes} c cross join lateral gatewarden_acting_facts(c.acting, c.created_at) facts
  )`

export const actingFacts: SqlFunction = {
  name: "gatewarden_acting_facts",
  sql: `
create or replace function gatewarden_acting_facts(
  acting text, written_at timestamptz,
  out actor_type text, out actor_id text, out operation text, out request_id text, out at timestamptz
) language plpgsql stable as $body$
declare
  said json;
begin
  said := nullif(acting, '')::json;
  actor_type := coalesce(said -> 'actor' ->> 'type', 'database');
  actor_id := said -> 'actor' ->> 'id';
  operation := said ->> 'operation';
  request_id := said ->> 'request_id';
  at := coalesce((said ->> 'at')::timestamptz, written_at);
  if not isfinite(at) then
    at := written_at;
  end if;
exception when others then
  actor_type := 'database'; actor_id := null; operation := null; request_id := null; at := written_at;
end
$body$
`
}
