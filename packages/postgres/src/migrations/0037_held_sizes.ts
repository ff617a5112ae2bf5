/**
 * Keeps the size of an admitted request with its hold, so that whoever settles it can charge units that the settlement does not report.
 *
 * `gatewarden_hold_budgets` stays as the migration before left it, but for one more array and the column that it fills.
 */
export const heldSizes = {
  id: 37,
  name: "held_sizes",
  sql: `
alter table gatewarden_hold add column size text collate "C";

do $body$
declare
  definition text := pg_get_functiondef('gatewarden_hold_budgets'::regproc);
  change text[];
begin
  foreach change slice 1 in array array[
    array['percents integer[])', 'percents integer[], sizes text[])'],
    array['member, is_plain)', 'member, is_plain, size)'],
    array['list_members[r.list], list_plain[r.list]', 'list_members[r.list], list_plain[r.list], r.size'],
    array['from unnest(ids, seconds, most, full_most, keys, users, workspaces, id_lists)',
      'from unnest(ids, seconds, most, full_most, keys, users, workspaces, id_lists, sizes)'],
    array['as r (id, seconds, most, full_most, key, user_id, workspace, list)',
      'as r (id, seconds, most, full_most, key, user_id, workspace, list, size)'],
    array['list_members[list], list_plain[list])', 'list_members[list], list_plain[list], sizes[r])']
  ] loop
    if strpos(definition, change[1]) = 0 then
      raise exception 'gatewarden_hold_budgets has no "%"', change[1];
    end if;
    definition := replace(definition, change[1], change[2]);
  end loop;
  execute (select 'drop function ' || oid::regprocedure from pg_proc where oid = 'gatewarden_hold_budgets'::regproc);
  execute definition;
end
$body$;
`
} as const
