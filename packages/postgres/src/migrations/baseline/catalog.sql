-- The model catalog of the installation, models that accounts bring themselves, and providers and endpoints that one account alone sees.
-- Rules: models#private-endpoints, models#private-providers
--
-- `slug` and `variant` are the name under which a model's usage is recorded. `listed_at` moves when a change may alter which usage is
-- ranked: it is part of the date of every ranking. `claims` are the names under which an entry of the installation's catalog would take
-- one of the names of an account's model; such a model is hidden. Rankings and statistics of the installation's endpoints read
-- `gatewarden_model` alone. `listing` is what lists of models show and filter by, beside what their endpoints tell.

create table gatewarden_model (
  id text collate "C" primary key,
  canonical_slug text collate "C" not null,
  slug text collate "C" not null,
  variant text collate "C" not null,
  public boolean not null,
  name text collate "C" not null,
  created bigint not null,
  description text collate "C" not null,
  architecture jsonb not null,
  endpoints jsonb not null,
  listed_at timestamptz not null,
  listing jsonb not null default '{}'
);

create index gatewarden_model_slug on gatewarden_model (slug, variant);

create trigger gatewarden_model_added after insert on gatewarden_model
  referencing new table as changed for each statement execute function gatewarden_log_catalog_change();
create trigger gatewarden_model_changed after update on gatewarden_model
  referencing new table as changed for each statement execute function gatewarden_log_catalog_change();
create trigger gatewarden_model_deleted after delete on gatewarden_model
  referencing old table as changed for each statement execute function gatewarden_log_catalog_change();

create table gatewarden_own_model (
  account_id uuid not null references gatewarden_account (id) deferrable initially deferred,
  id text collate "C" not null,
  canonical_slug text collate "C" not null,
  slug text collate "C" not null,
  variant text collate "C" not null,
  public boolean not null,
  name text collate "C" not null,
  created bigint not null,
  description text collate "C" not null,
  architecture jsonb not null,
  endpoints jsonb not null,
  claims text[] collate "C" not null,
  listing jsonb not null default '{}',
  primary key (account_id, id)
);

create index gatewarden_own_model_slug on gatewarden_own_model (account_id, slug);

create trigger gatewarden_own_model_added after insert on gatewarden_own_model
  referencing new table as changed for each statement execute function gatewarden_log_own_model_change();
create trigger gatewarden_own_model_changed after update on gatewarden_own_model
  referencing new table as changed for each statement execute function gatewarden_log_own_model_change();
create trigger gatewarden_own_model_deleted after delete on gatewarden_own_model
  referencing old table as changed for each statement execute function gatewarden_log_own_model_change();

create policy gatewarden_tenant on gatewarden_own_model
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create table gatewarden_private_provider (
  account_id uuid not null,
  slug text collate "C" not null,
  name text collate "C" not null,
  display_name text collate "C" not null,
  base_url text collate "C" not null,
  data_policy jsonb not null,
  headquarters text collate "C",
  datacenters text[] not null,
  privacy_policy_url text collate "C",
  created_at timestamptz not null,
  primary key (account_id, slug)
);

create trigger gatewarden_private_provider_recorded after insert or delete on gatewarden_private_provider
  for each row execute function gatewarden_record_private_provider();
create trigger gatewarden_private_provider_rerecorded after update on gatewarden_private_provider
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_private_provider();

create policy gatewarden_tenant on gatewarden_private_provider
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create table gatewarden_private_endpoint (
  id uuid primary key,
  account_id uuid not null,
  model_permaslug text collate "C" not null,
  provider_slug text collate "C" not null,
  provider_name text collate "C" not null,
  upstream_model_id text collate "C" not null,
  -- Null: that of the private provider.
  base_url text collate "C",
  declared_region text collate "C",
  declared_zdr boolean,
  -- Decimal strings, which keep every digit.
  pricing jsonb not null,
  status text collate "C" not null,
  -- The deployment that the last validation passed for.
  validated text collate "C",
  created_at timestamptz not null
);

create index gatewarden_private_endpoint_account on gatewarden_private_endpoint (account_id, created_at, id);

create trigger gatewarden_private_endpoint_recorded after insert or delete on gatewarden_private_endpoint
  for each row execute function gatewarden_record_private_endpoint();
create trigger gatewarden_private_endpoint_rerecorded after update on gatewarden_private_endpoint
  for each row when (old.* is distinct from new.*) execute function gatewarden_record_private_endpoint();

create policy gatewarden_tenant on gatewarden_private_endpoint
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));
