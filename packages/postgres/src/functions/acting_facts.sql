-- Who acted, of the text that a change bears. What does not come through Gatewarden, or is no such text, has the actor `database`.
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
