-- Counts rows for their account alone.
create or replace function gatewarden_count_of_account()
returns trigger language plpgsql as $body$
declare
  sign int := case tg_op when 'INSERT' then 1 else -1 end;
begin
  perform gatewarden_add_stored(array_agg(account_id), tg_argv[0],
    array_agg('00000000-0000-0000-0000-000000000000'::uuid), array_agg(sign * n), array_agg(0))
  from (select account_id, count(*) as n from changed where account_id is not null group by account_id) c
  having count(*) > 0;
  return null;
end
$body$
