-- Presets and their versions.
--
-- `last_version` is where the next number comes from: whoever appends holds the row, so numbers have no gap. A config is kept as `json`,
-- which keeps the text; `jsonb` would reorder keys.

create table gatewarden_preset (
  id uuid primary key,
  account_id uuid not null,
  workspace_id uuid not null,
  slug text collate "C" not null,
  name text collate "C" not null,
  description text collate "C",
  status text collate "C" not null,
  status_updated_at timestamptz,
  creator_user_id text collate "C" not null,
  designated_version_id uuid not null,
  last_version int not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (workspace_id, slug),
  foreign key (workspace_id, account_id) references gatewarden_workspace (id, account_id) on delete cascade
);

create index gatewarden_preset_time on gatewarden_preset (workspace_id, account_id, updated_at, id);

create trigger gatewarden_preset_recorded after insert or delete on gatewarden_preset
  for each row execute function gatewarden_record_preset();
create trigger gatewarden_preset_rerecorded after update on gatewarden_preset
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_preset();
create trigger gatewarden_preset_kept after insert on gatewarden_preset
  referencing new table as added for each statement execute function gatewarden_count_in_workspace('preset');
create trigger gatewarden_preset_left after delete on gatewarden_preset
  referencing old table as removed for each statement execute function gatewarden_count_in_workspace('preset');

create policy gatewarden_tenant on gatewarden_preset
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create table gatewarden_preset_version (
  id uuid primary key,
  preset_id uuid not null references gatewarden_preset (id) on delete cascade,
  version int not null,
  config json not null,
  system_prompt text collate "C" not null,
  creator_id text collate "C" not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (preset_id, version)
);

create index gatewarden_preset_version_creator on gatewarden_preset_version (creator_id, preset_id);

create trigger gatewarden_preset_version_kept after insert on gatewarden_preset_version
  referencing new table as added for each statement execute function gatewarden_count_preset_versions();
