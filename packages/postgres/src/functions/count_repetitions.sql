-- Counts the bytes of stored responses for their account.
create or replace function gatewarden_count_repetitions()
returns trigger language plpgsql as $body$
begin
  if tg_op = 'UPDATE' then
    perform gatewarden_add_stored(array[new.account_id], 'idempotency_answer', array['00000000-0000-0000-0000-000000000000'::uuid],
      array[0],
      array[coalesce(octet_length(new.sealed), 0) - coalesce(octet_length(old.sealed), 0)]);
  else
    perform gatewarden_add_stored(array_agg(account_id), 'idempotency_answer',
      array_agg('00000000-0000-0000-0000-000000000000'::uuid), array_agg(0), array_agg(-bytes))
    from (
      select account_id, sum(octet_length(sealed))::bigint as bytes from removed where sealed is not null group by account_id
    ) c
    having count(*) > 0;
  end if;
  return null;
end
$body$
