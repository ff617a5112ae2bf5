-- Whether a workspace has room for that many bytes more of presets; false without such a workspace. The workspace is locked until the
-- transaction ends: whoever comes second waits, and counts what the first has added.
create or replace function gatewarden_has_room_for_preset(account uuid, workspace uuid, more_bytes bigint, most_bytes bigint)
returns boolean language plpgsql as $body$
begin
  perform from gatewarden_workspace w where w.id = workspace and w.account_id = account for no key update;
  if not found then return false; end if;
  -- A statement of its own, which sees what was committed while the one before waited.
  return (
    select coalesce(sum(s.bytes), 0) + more_bytes <= most_bytes from gatewarden_stored_amount s
    where s.account_id = account and s.kind = 'preset_version' and s.workspace_id = workspace
  );
end
$body$
