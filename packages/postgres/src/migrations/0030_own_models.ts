/**
 * Models that accounts bring themselves. `claims`: the names under which an entry of the installation's catalog would take one of the
 * model's names; such a model is hidden.
 *
 * Rankings and the statistics of the installation's endpoints read `gatewarden_model` alone.
 */
export const ownModels = {
  id: 30,
  name: "own_models",
  sql: `
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

create function gatewarden_log_own_model_change() returns trigger language plpgsql as $body$
begin
  insert into gatewarden_changes (account_id, topic, id) select distinct account_id, 'catalog', '' from changed;
  return null;
end
$body$;

create trigger gatewarden_own_model_added after insert on gatewarden_own_model
  referencing new table as changed for each statement execute function gatewarden_log_own_model_change();
create trigger gatewarden_own_model_changed after update on gatewarden_own_model
  referencing new table as changed for each statement execute function gatewarden_log_own_model_change();
create trigger gatewarden_own_model_deleted after delete on gatewarden_own_model
  referencing old table as changed for each statement execute function gatewarden_log_own_model_change();
`
} as const
