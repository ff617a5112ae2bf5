/**
 * Whoever held as a member spends, though the event may not know any more whose key it was: a key can be deleted before what it
 * was admitted for is settled.
 */
export const settlingMembers = {
  id: 20,
  name: "settling_members",
  sql: `
-- The events as they were sent, each with the member whose budget holds for it.
create function gatewarden_events_of_members(asked_account uuid, ids text[], sent json)
returns json language plpgsql stable set plan_cache_mode = force_generic_plan set enable_seqscan = off as $body$
declare
  members jsonb;
begin
  select jsonb_object_agg(h.admission_id, b.budget ->> 'entity') into members
  from gatewarden_hold h cross join lateral jsonb_array_elements(h.budgets) as b (budget)
  where h.admission_id = any (ids) and (h.account_id = asked_account) is true and b.budget ->> 'scope' = 'member';
  if members is null then
    return sent;
  end if;
  return (
    select json_agg(
      case when m.member is null then e.event else (e.event::jsonb || jsonb_build_object('user_id', m.member))::json end
      order by e.n
    )
    from json_array_elements(sent) with ordinality as e (event, n)
    cross join lateral (select members ->> (e.event ->> 'id') as member) m
  );
end
$body$;
`
} as const
