/** Presets are listed: an index in the order of their list, and their count, kept from here on by triggers. */
export const presetLists = {
  id: 46,
  name: "preset_lists",
  sql: `
create index gatewarden_preset_time on gatewarden_preset (workspace_id, account_id, updated_at, id);

create trigger gatewarden_preset_kept after insert on gatewarden_preset
  referencing new table as added for each statement execute function gatewarden_count_in_workspace('preset');
create trigger gatewarden_preset_left after delete on gatewarden_preset
  referencing old table as removed for each statement execute function gatewarden_count_in_workspace('preset');

insert into gatewarden_stored_amount (account_id, kind, workspace_id, rows, bytes)
select account_id, 'preset', coalesce(workspace_id, '00000000-0000-0000-0000-000000000000'), count(*), 0
from gatewarden_preset group by grouping sets ((account_id, workspace_id), (account_id));
`
} as const
