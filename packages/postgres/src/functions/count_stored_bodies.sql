-- Counts stored bodies and their bytes for their account.
create or replace function gatewarden_count_stored_bodies()
returns trigger language plpgsql as $body$
declare
  whole constant uuid := '00000000-0000-0000-0000-000000000000';
begin
  if tg_op = 'INSERT' then
    perform gatewarden_add_stored(array_agg(account_id), 'generation_content', array_agg(whole), array_agg(n), array_agg(bytes))
    from (
      select account_id, count(*) as n, sum(octet_length(sealed_bodies))::bigint as bytes from added group by account_id
    ) c having count(*) > 0;
  elsif tg_op = 'DELETE' then
    perform gatewarden_add_stored(array_agg(account_id), 'generation_content', array_agg(whole), array_agg(-n), array_agg(-bytes))
    from (
      select account_id, count(*) as n, sum(octet_length(sealed_bodies))::bigint as bytes from removed group by account_id
    ) c having count(*) > 0;
  else
    perform gatewarden_add_stored(array[new.account_id], 'generation_content', array[whole], array[0::bigint],
      array[(octet_length(new.sealed_bodies) - octet_length(old.sealed_bodies))::bigint]);
  end if;
  return null;
end
$body$
