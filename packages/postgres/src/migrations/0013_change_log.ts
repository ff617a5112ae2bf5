/**
 * What changed, in the statement that changed it: triggers write it, so no statement can forget to. And what must wait for
 * others and then look again, in one round trip: each statement of a function sees what was committed before it began, while
 * one statement alone would still see what was there before it waited.
 *
 * A row of the log says that something is no longer what it was, not what it became: a reader asks for it anew. A change of a workspace
 * stands for all that is in it, one of an assignment or a rate limit for the key or member that has it. Rows become visible when their transaction commits, not in the order of `seq`.
 */
export const changeLog = {
  id: 13,
  name: "change_log",
  sql: `
create table gatewarden_changes (
  seq bigserial primary key,
  account_id uuid not null,
  topic text collate "C" not null,
  id text collate "C" not null,
  created_at timestamptz not null default clock_timestamp()
);

create index gatewarden_changes_age on gatewarden_changes using brin (created_at);

create function gatewarden_log_change() returns trigger language plpgsql as $body$
begin
  if tg_op = 'DELETE' then
    insert into gatewarden_changes (account_id, topic, id) values (old.account_id, tg_argv[0], old.id);
  else
    insert into gatewarden_changes (account_id, topic, id) values (new.account_id, tg_argv[0], new.id);
  end if;
  return null;
end
$body$;

-- For what belongs to something else: the column that names it is the second argument.
create function gatewarden_log_change_of_owner() returns trigger language plpgsql as $body$
declare
  changed jsonb := to_jsonb(case when tg_op = 'DELETE' then old else new end);
begin
  insert into gatewarden_changes (account_id, topic, id)
    values ((changed ->> 'account_id')::uuid, tg_argv[0], changed ->> tg_argv[1]);
  return null;
end
$body$;

create function gatewarden_log_key_change() returns trigger language plpgsql as $body$
begin
  if tg_op = 'DELETE' then
    insert into gatewarden_changes (account_id, topic, id) values (old.account_id, 'key', old.hash);
  else
    insert into gatewarden_changes (account_id, topic, id) values (new.account_id, 'key', new.hash);
  end if;
  return null;
end
$body$;

create trigger gatewarden_workspace_changed after update on gatewarden_workspace
  for each row when (old.* is distinct from new.*) execute function gatewarden_log_change('workspace');
create trigger gatewarden_workspace_added after insert or delete on gatewarden_workspace
  for each row execute function gatewarden_log_change('workspace');
create trigger gatewarden_guardrail_changed after update on gatewarden_guardrail
  for each row when (old.* is distinct from new.*) execute function gatewarden_log_change('guardrail');
create trigger gatewarden_guardrail_added after insert or delete on gatewarden_guardrail
  for each row execute function gatewarden_log_change('guardrail');
create trigger gatewarden_api_key_changed after update on gatewarden_api_key
  for each row when (old.* is distinct from new.*) execute function gatewarden_log_key_change();
create trigger gatewarden_api_key_added after insert or delete on gatewarden_api_key
  for each row execute function gatewarden_log_key_change();
create trigger gatewarden_guardrail_key_changed after insert or update or delete on gatewarden_guardrail_key
  for each row execute function gatewarden_log_change_of_owner('key', 'key_hash');
create trigger gatewarden_key_rate_limit_changed after insert or update or delete on gatewarden_key_rate_limit
  for each row execute function gatewarden_log_change_of_owner('key', 'key_hash');
create trigger gatewarden_guardrail_member_changed after insert or update or delete on gatewarden_guardrail_member
  for each row execute function gatewarden_log_change_of_owner('member', 'user_id');
create trigger gatewarden_workspace_member_changed after insert or update or delete on gatewarden_workspace_member
  for each row execute function gatewarden_log_change_of_owner('workspace', 'workspace_id');
create trigger gatewarden_workspace_budget_changed after insert or update or delete on gatewarden_workspace_budget
  for each row execute function gatewarden_log_change_of_owner('workspace', 'workspace_id');

-- The next place within a group of credentials, which is the caller's until its transaction ends.
create function gatewarden_next_byok_place(in_workspace uuid, of_provider text, among_fallbacks boolean)
returns integer language plpgsql volatile as $body$
begin
  perform pg_advisory_xact_lock(hashtextextended(
    'gatewarden_byok_credential ' || in_workspace || ' ' || among_fallbacks || ' ' || of_provider, 0));
  return (
    select coalesce(max(sort_order) + 1, 0) from gatewarden_byok_credential
    where workspace_id = in_workspace and provider = of_provider and is_fallback = among_fallbacks);
end
$body$;

-- Counts a request at now_millis in every bucket, or in none if one of them is full; answers the times counted in each after
-- that. Times up to its "since" no longer count. Rows are locked in one order, whatever order they are asked for in.
create function gatewarden_consume(asked_buckets text[], quotas integer[], sinces bigint[], now_millis bigint)
returns table (asked_bucket text, admitted boolean, counted bigint[]) language plpgsql volatile as $body$
begin
  insert into gatewarden_rate_limit (bucket, times)
    select asked.name, '{}' from unnest(asked_buckets) as asked (name) order by asked.name
    on conflict (bucket) do nothing;
  perform from gatewarden_rate_limit where bucket = any (asked_buckets) order by bucket for update;
  return query
    with kept as (
      select asked.name, asked.quota,
        array(select at from unnest(held.times) with ordinality as t (at, place) where at > asked.since order by place) as times
      from unnest(asked_buckets, quotas, sinces) as asked (name, quota, since)
      join gatewarden_rate_limit held on held.bucket = asked.name
    ), verdict as (
      select bool_and(cardinality(kept.times) < kept.quota) as passed from kept
    ), written as (
      update gatewarden_rate_limit held set times = kept.times || now_millis
      from kept, verdict where verdict.passed and held.bucket = kept.name
    )
    select kept.name, verdict.passed, case when verdict.passed then kept.times || now_millis else kept.times end
    from kept, verdict;
end
$body$;
`
} as const
