-- Keeps those away who open windows, until the end of the transaction; answers how many were opened before.
create or replace function gatewarden_enter_spending(entered_account uuid)
returns bigint language plpgsql as $body$
begin
  perform pg_advisory_xact_lock_shared(hashtextextended('gatewarden/spending/' || entered_account, 0));
  return coalesce((select opened from gatewarden_spending where account_id = entered_account), 0);
end
$body$
