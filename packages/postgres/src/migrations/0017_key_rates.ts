/**
 * What keys with rate limits use: their requests of the last minute, and those that still run.
 *
 * A key is decided on by one at a time. The lock is taken before anything is read, so that what is read is what the one before left
 * behind; rows that neither count nor run any more go on the way.
 */
export const keyRates = {
  id: 17,
  name: "key_rates",
  sql: `
create table gatewarden_key_admission (
  admission_id text collate "C" primary key,
  account_id uuid not null,
  key_hash text collate "C" not null,
  admitted_at timestamptz not null,
  expires_at timestamptz not null,
  tokens bigint not null,
  is_open boolean not null
) with (fillfactor = 70);

create index gatewarden_key_admission_key on gatewarden_key_admission (account_id, key_hash, admitted_at);

create function gatewarden_admit_key(asked_account uuid, asked_key text, asked_admission text, asked_at timestamptz,
  seconds integer, asked_tokens bigint, most_requests bigint, most_tokens bigint, most_parallel bigint)
returns table (admitted boolean, requests bigint, tokens bigint, parallel bigint, resets_at bigint)
language plpgsql volatile as $body$
declare
  at timestamptz;
begin
  perform pg_advisory_xact_lock(hashtextextended('gatewarden/rates/' || asked_account || '/' || asked_key, 0));
  at := coalesce(asked_at, clock_timestamp());
  delete from gatewarden_key_admission a
    where a.account_id = asked_account and a.key_hash = asked_key and a.admitted_at <= at - interval '1 minute'
      and (not a.is_open or a.expires_at <= at);
  select count(*) filter (where a.admitted_at > at - interval '1 minute'),
    coalesce(sum(a.tokens) filter (where a.admitted_at > at - interval '1 minute'), 0)::bigint,
    count(*) filter (where a.is_open and a.expires_at > at),
    ceil(extract(epoch from min(a.admitted_at) filter (where a.admitted_at > at - interval '1 minute')) * 1000)::bigint + 60000
    into requests, tokens, parallel, resets_at
    from gatewarden_key_admission a where a.account_id = asked_account and a.key_hash = asked_key;
  admitted := coalesce(requests < most_requests, true) and coalesce(tokens + asked_tokens <= most_tokens, true)
    and coalesce(parallel < most_parallel, true);
  if admitted then
    insert into gatewarden_key_admission values
      (asked_admission, asked_account, asked_key, at, at + seconds * interval '1 second', asked_tokens, true);
  end if;
  return next;
end
$body$;
`
} as const
