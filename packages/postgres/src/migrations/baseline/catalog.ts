/**
 * The model catalog of the installation, and models that accounts bring themselves.
 *
 * `slug` and `variant` are the name under which a model's usage is recorded. `listed_at` moves when a change may alter which usage is ranked: it
 * is part of the date of every ranking. `claims` are the names under which an entry of the installation's catalog would take one of the names
 * of an account's model; such a model is hidden. Rankings and statistics of the installation's endpoints read `gatewarden_model` alone.
 */
export const catalog = `
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
  listed_at timestamptz not null
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
  primary key (account_id, id)
);

create index gatewarden_own_model_slug on gatewarden_own_model (account_id, slug);

create trigger gatewarden_own_model_added after insert on gatewarden_own_model
  referencing new table as changed for each statement execute function gatewarden_log_own_model_change();
create trigger gatewarden_own_model_changed after update on gatewarden_own_model
  referencing new table as changed for each statement execute function gatewarden_log_own_model_change();
create trigger gatewarden_own_model_deleted after delete on gatewarden_own_model
  referencing old table as changed for each statement execute function gatewarden_log_own_model_change();
`
