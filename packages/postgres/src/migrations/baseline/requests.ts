/** What requests leave behind: answers kept for repetition, and times counted for rate limits. */
export const requests = `
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

create table gatewarden_rate_limit (
  bucket text collate "C" primary key,
  times bigint[] not null
) with (fillfactor = 50);
`
