-- Admits a request of a key unless one of its rate limits is reached. A key is decided on by one at a time: the lock is taken before
-- anything is read, so that what is read is what the one before left behind. Rows that neither count nor run any more are deleted.
create or replace function gatewarden_admit_key(
  asked_account uuid, asked_key text, asked_admission text, asked_at timestamptz, seconds int, asked_tokens bigint,
  most_requests bigint, most_tokens bigint, most_parallel bigint
)
returns table (admitted boolean, requests bigint, tokens bigint, parallel bigint, resets_at bigint) language plpgsql as $body$
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
$body$
