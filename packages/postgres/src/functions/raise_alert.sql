-- Records an alert with a delivery for each channel that hears of it. False where it was recorded before, and where nobody hears of it:
-- both are found out without writing.
create or replace function gatewarden_raise_alert(
  raised_account uuid, raised_workspace uuid, raised_type text, raised_subject text, raised_crossing text, raised_data json,
  at timestamptz
)
returns boolean language plpgsql
  -- A session keeps the plans that it made first, perhaps for empty tables: these look rows up by keys whatever statistics say.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
declare
  raised_id uuid := gen_random_uuid();
begin
  -- is true: the account is only compared, so that the index of the workspace is used, here and below.
  if not exists (
    select from gatewarden_alert_channel c
    where c.workspace_id = raised_workspace and (c.account_id = raised_account) is true and c.enabled
      and raised_type = any (c.events)
  ) then
    return false;
  end if;
  insert into gatewarden_alert (id, account_id, workspace_id, type, subject, crossing, data, created_at)
  values (raised_id, raised_account, raised_workspace, raised_type, raised_subject, raised_crossing, raised_data, at)
  on conflict (account_id, subject, type, crossing) do nothing;
  if not found then
    return false;
  end if;
  insert into gatewarden_alert_delivery (alert_id, channel_id, account_id, workspace_id, type, subject, created_at, due_at)
  select raised_id, c.id, raised_account, raised_workspace, raised_type, raised_subject, at, at from gatewarden_alert_channel c
  where c.workspace_id = raised_workspace and (c.account_id = raised_account) is true and c.enabled
    and raised_type = any (c.events);
  return true;
end
$body$
