-- Usage for a store beside this database, such as ClickHouse.
--
-- Whoever fills that store opens the outlet: from then on every event that is recorded or changed waits here until it is there. A row is
-- written in the transaction of its event, so nothing is skipped, whatever commits late. Where there is no outlet nothing waits.

create table gatewarden_usage_outlet (
  opened_at timestamptz not null
);

create table gatewarden_usage_outgoing (
  position bigint generated always as identity primary key,
  account_id uuid not null,
  created_at timestamptz not null,
  id text collate "C" not null
);

create policy gatewarden_tenant on gatewarden_usage_outgoing
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create trigger gatewarden_note_outgoing after insert on gatewarden_usage_event
  referencing new table as added for each statement execute function gatewarden_note_outgoing();
create trigger gatewarden_note_outgoing_change after update on gatewarden_usage_event
  referencing new table as added for each statement execute function gatewarden_note_outgoing();
