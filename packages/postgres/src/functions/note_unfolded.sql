-- Notes recorded events as such that wait to be summed; many at once are summed at once.
create or replace function gatewarden_note_unfolded()
returns trigger language plpgsql set jit = off as $body$
declare
  account uuid;
begin
  -- Where others write the same cells, a snapshot that is older than their commit cannot.
  if current_setting('transaction_isolation') = 'read committed' and (select count(*) from (select from added limit 5000) first_ones) = 5000 then
    for account in select distinct account_id from added order by 1 loop
      perform pg_advisory_xact_lock(gatewarden_fold_lock(account));
    end loop;
    execute 'with batch as (select * from added)' || gatewarden_fold_parts() || ' select';
  else
    insert into gatewarden_usage_unfolded (account_id, created_at, id) select account_id, created_at, id from added;
  end if;
  return null;
end
$body$
