-- Makes a destination due when it changes: with another config it may accept what waits, and what waits for a deleted one is removed.
create or replace function gatewarden_wake_delivery()
returns trigger language plpgsql as $body$
begin
  update gatewarden_delivery_state s set due_at = '-infinity'
  where s.destination_id = old.id and (s.due_at is not null or tg_op = 'DELETE');
  return null;
end
$body$
