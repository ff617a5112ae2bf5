-- Erasures of persons: who asked for what, how far each is, and what it has changed.
--
-- The request has the name and the salt of the pseudonyms, encrypted, until the job has ended. Its digest keeps a person from having two
-- jobs at once. Neither is in the log of changes, nor is how far a job is.

create table gatewarden_erasure (
  id uuid primary key,
  account_id uuid not null references gatewarden_account (id) deferrable initially deferred,
  kind text collate "C" not null,
  pseudonym text collate "C" not null,
  status text collate "C" not null,
  step text collate "C" not null,
  -- The event that was walked past last.
  after_at timestamptz,
  after_id text collate "C",
  in_the_way jsonb not null default '[]',
  erased jsonb not null default '{}',
  sealed_request bytea,
  request_digest text collate "C",
  due_at timestamptz not null,
  created_at timestamptz not null,
  started_at timestamptz,
  finished_at timestamptz,
  check ((finished_at is null) = (sealed_request is not null and request_digest is not null))
);

create unique index gatewarden_erasure_once on gatewarden_erasure (account_id, request_digest) where finished_at is null;
create index gatewarden_erasure_due on gatewarden_erasure (account_id, due_at, created_at, id) where finished_at is null;
create index gatewarden_erasure_time on gatewarden_erasure (account_id, created_at, id);
create index gatewarden_erasure_finished on gatewarden_erasure (finished_at) where finished_at is not null;
-- For whoever asks whether an event is one of an erased person.
create index gatewarden_erasure_pseudonym on gatewarden_erasure (account_id, pseudonym);

create trigger gatewarden_erasure_kept after insert on gatewarden_erasure
  referencing new table as changed for each statement execute function gatewarden_count_of_account('erasure');
create trigger gatewarden_erasure_left after delete on gatewarden_erasure
  referencing old table as changed for each statement execute function gatewarden_count_of_account('erasure');
-- What retention deletes later is no change of configuration.
create trigger gatewarden_erasure_recorded after insert on gatewarden_erasure
  for each row execute function gatewarden_record_erasure();
create trigger gatewarden_erasure_rerecorded after update on gatewarden_erasure
  for each row when (old.finished_at is null and new.finished_at is not null) execute function gatewarden_record_erasure();

create policy gatewarden_tenant on gatewarden_erasure
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));
