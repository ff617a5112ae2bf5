-- The next place within a group of credentials, which is the caller's until its transaction ends.
create or replace function gatewarden_next_byok_place(in_workspace uuid, of_provider text, among_fallbacks boolean)
returns int language plpgsql
  -- A session keeps the plans that it made first, perhaps for empty tables: these look rows up by keys whatever statistics say.
  set plan_cache_mode = force_generic_plan set enable_seqscan = off
  set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off as $body$
begin
  perform pg_advisory_xact_lock(hashtextextended(
    'gatewarden_byok_credential ' || in_workspace || ' ' || among_fallbacks || ' ' || of_provider, 0));
  return (
    select coalesce(max(sort_order) + 1, 0) from gatewarden_byok_credential
    where workspace_id = in_workspace and provider = of_provider and is_fallback = among_fallbacks);
end
$body$
