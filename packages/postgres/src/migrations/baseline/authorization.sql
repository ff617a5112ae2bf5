-- Authorization codes by their hashes, and the apps that they are for.
--
-- An app is numbered within its account when its callback origin is met first. A burnt code is deleted; a spent one stays as long as the
-- key that it made, so that presenting it again can revoke that key.

create table gatewarden_app (
  account_id uuid not null references gatewarden_account (id),
  id int not null,
  callback_origin text collate "C" not null,
  primary key (account_id, id),
  unique (account_id, callback_origin)
);

create policy gatewarden_tenant on gatewarden_app
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create table gatewarden_authorization_code (
  code_hash text collate "C" primary key,
  account_id uuid not null,
  workspace_id uuid not null,
  app_id int not null,
  callback_url text collate "C" not null,
  callback_origin text collate "C" not null,
  challenge_hash text collate "C",
  code_challenge_method text collate "C",
  key_name text collate "C" not null,
  limit_nanos bigint,
  limit_reset text collate "C",
  key_expires_at timestamptz,
  user_id text collate "C",
  spawn_agent text collate "C",
  spawn_cloud text collate "C",
  created_at timestamptz not null,
  expires_at timestamptz not null,
  spent_at timestamptz,
  key_hash text collate "C" references gatewarden_api_key (hash) on delete cascade,
  foreign key (account_id, app_id) references gatewarden_app (account_id, id),
  foreign key (workspace_id, account_id) references gatewarden_workspace (id, account_id) on delete cascade
);

create unique index gatewarden_authorization_code_live
  on gatewarden_authorization_code (account_id, app_id, challenge_hash)
  where spent_at is null;
create index gatewarden_authorization_code_dead on gatewarden_authorization_code (expires_at) where spent_at is null;
create index gatewarden_authorization_code_workspace on gatewarden_authorization_code (workspace_id);
create index gatewarden_authorization_code_key on gatewarden_authorization_code (key_hash);
create index gatewarden_authorization_code_user on gatewarden_authorization_code (account_id, user_id)
  where user_id is not null;

create trigger gatewarden_authorization_code_recorded after insert or delete on gatewarden_authorization_code
  for each row execute function gatewarden_record_authorization_code();
create trigger gatewarden_authorization_code_rerecorded after update on gatewarden_authorization_code
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_authorization_code();

create policy gatewarden_tenant on gatewarden_authorization_code
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));
