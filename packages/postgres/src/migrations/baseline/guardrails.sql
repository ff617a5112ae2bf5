-- Guardrails, and what they are assigned to: a key and a member have one at most.
--
-- A default guardrail is one whose id a workspace names; it is a row from its first update on. `content_filter_unscannable` says what
-- happens to parts of a request that content filters cannot look into: `allow` or `block`.

create table gatewarden_guardrail (
  id uuid primary key,
  account_id uuid not null,
  workspace_id uuid not null,
  name text collate "C" not null,
  is_default boolean not null,
  description text collate "C",
  allowed_data_regions text[],
  allowed_models text[],
  allowed_providers text[],
  ignored_models text[],
  ignored_providers text[],
  content_filter_builtins jsonb,
  content_filters jsonb,
  enable_free_model_publication boolean not null,
  enable_free_model_training boolean not null,
  enable_paid_model_training boolean not null,
  enforce_zdr boolean,
  enforce_zdr_anthropic boolean not null,
  enforce_zdr_openai boolean not null,
  enforce_zdr_google boolean not null,
  enforce_zdr_xai boolean not null,
  enforce_zdr_other boolean not null,
  include_byok_in_budgets boolean not null,
  limit_nanos bigint,
  reset_interval text collate "C",
  created_at timestamptz not null,
  updated_at timestamptz,
  content_filter_unscannable text collate "C" not null default 'allow',
  foreign key (workspace_id, account_id) references gatewarden_workspace (id, account_id) on delete cascade
);

create unique index gatewarden_guardrail_account on gatewarden_guardrail (id, account_id);
create index gatewarden_guardrail_workspace on gatewarden_guardrail (workspace_id, account_id, created_at, id);

create trigger gatewarden_guardrail_kept after insert on gatewarden_guardrail
  referencing new table as added for each statement execute function gatewarden_count_in_workspace('guardrail');
create trigger gatewarden_guardrail_left after delete on gatewarden_guardrail
  referencing old table as removed for each statement execute function gatewarden_count_in_workspace('guardrail');
create trigger gatewarden_guardrail_amounts_left after delete on gatewarden_guardrail
  referencing old table as removed for each statement execute function gatewarden_forget_workspace_amounts();
create trigger gatewarden_guardrail_recorded after insert or delete on gatewarden_guardrail
  for each row execute function gatewarden_record_guardrail();
create trigger gatewarden_guardrail_rerecorded after update on gatewarden_guardrail
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_guardrail();

create policy gatewarden_tenant on gatewarden_guardrail
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create table gatewarden_guardrail_key (
  key_hash text collate "C" primary key references gatewarden_api_key (hash) on delete cascade,
  id uuid not null unique,
  account_id uuid not null,
  guardrail_id uuid not null,
  assigned_by text collate "C",
  created_at timestamptz not null,
  foreign key (guardrail_id, account_id) references gatewarden_guardrail (id, account_id) on delete cascade
);

create index gatewarden_guardrail_key_account on gatewarden_guardrail_key (account_id, created_at, id);
create index gatewarden_guardrail_key_guardrail on gatewarden_guardrail_key (guardrail_id, account_id, created_at, id);
create index gatewarden_guardrail_key_by on gatewarden_guardrail_key (account_id, assigned_by) where assigned_by is not null;

create trigger gatewarden_guardrail_key_kept after insert on gatewarden_guardrail_key
  referencing new table as added for each statement execute function gatewarden_count_assignments('key_assignment');
create trigger gatewarden_guardrail_key_moved after update on gatewarden_guardrail_key
  referencing old table as removed new table as added
  for each statement
  execute function gatewarden_count_assignments('key_assignment');
create trigger gatewarden_guardrail_key_left after delete on gatewarden_guardrail_key
  referencing old table as removed for each statement execute function gatewarden_count_assignments('key_assignment');
create trigger gatewarden_guardrail_key_recorded after insert or delete on gatewarden_guardrail_key
  for each row execute function gatewarden_record_guardrail_key();
create trigger gatewarden_guardrail_key_rerecorded after update on gatewarden_guardrail_key
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_guardrail_key();

create policy gatewarden_tenant on gatewarden_guardrail_key
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create table gatewarden_guardrail_member (
  account_id uuid not null,
  user_id text collate "C" not null,
  id uuid not null unique,
  guardrail_id uuid not null,
  assigned_by text collate "C",
  created_at timestamptz not null,
  primary key (account_id, user_id),
  foreign key (guardrail_id, account_id) references gatewarden_guardrail (id, account_id) on delete cascade
);

create index gatewarden_guardrail_member_account on gatewarden_guardrail_member (account_id, created_at, id);
create index gatewarden_guardrail_member_guardrail on gatewarden_guardrail_member (guardrail_id, account_id, created_at, id);
create index gatewarden_guardrail_member_by on gatewarden_guardrail_member (account_id, assigned_by)
  where assigned_by is not null;

create trigger gatewarden_guardrail_member_kept after insert on gatewarden_guardrail_member
  referencing new table as added for each statement execute function gatewarden_count_assignments('member_assignment');
create trigger gatewarden_guardrail_member_moved after update on gatewarden_guardrail_member
  referencing old table as removed new table as added
  for each statement
  execute function gatewarden_count_assignments('member_assignment');
create trigger gatewarden_guardrail_member_left after delete on gatewarden_guardrail_member
  referencing old table as removed for each statement execute function gatewarden_count_assignments('member_assignment');
create trigger gatewarden_guardrail_member_recorded after insert or delete on gatewarden_guardrail_member
  for each row execute function gatewarden_record_guardrail_member();
create trigger gatewarden_guardrail_member_rerecorded after update on gatewarden_guardrail_member
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_guardrail_member();

create policy gatewarden_tenant on gatewarden_guardrail_member
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));
