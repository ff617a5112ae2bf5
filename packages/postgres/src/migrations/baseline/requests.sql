-- What requests leave behind: answers kept for repetition, and times counted for rate limits.
--
-- The bytes of stored responses are counted for their account, so that a quota bounds them.

create table gatewarden_idempotency_record (
  account_id uuid not null,
  key_hash text collate "C" not null,
  request_hash text collate "C" not null,
  token uuid not null,
  until bigint not null,
  body_hash text collate "C",
  status int,
  sealed bytea,
  primary key (account_id, key_hash, request_hash)
);

create index gatewarden_idempotency_record_until on gatewarden_idempotency_record (until);

create trigger gatewarden_idempotency_record_answered after update on gatewarden_idempotency_record
  for each row when (octet_length(old.sealed) is distinct from octet_length(new.sealed)) execute function gatewarden_count_repetitions();
create trigger gatewarden_idempotency_record_forgotten after delete on gatewarden_idempotency_record
  referencing old table as removed for each statement execute function gatewarden_count_repetitions();

create policy gatewarden_tenant on gatewarden_idempotency_record
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));

create table gatewarden_rate_limit (
  bucket text collate "C" primary key,
  times bigint[] not null
) with (fillfactor = 50);
