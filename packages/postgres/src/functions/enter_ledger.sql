-- The same for whoever changes windows: fails, as what cannot be serialized does, where its snapshot is older than a window.
create or replace function gatewarden_enter_ledger(entered_account uuid)
returns bigint language plpgsql as $body$
declare
  opened_before bigint := gatewarden_enter_spending(entered_account);
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    -- The snapshot is older than the lock. Where a window was opened in between, this fails as what cannot be serialized does.
    insert into gatewarden_spending (account_id, opened) values (entered_account, 0) on conflict do nothing;
    perform from gatewarden_spending where account_id = entered_account for share;
  end if;
  return opened_before;
end
$body$
