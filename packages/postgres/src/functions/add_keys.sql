-- Keys are counted for their account and, where they have one, for their workspace, in which those that are not disabled are also listed
-- apart.
create or replace function gatewarden_add_keys(accounts uuid[], workspaces uuid[], are_disabled boolean[], more bigint[])
returns void language sql as $body$
  select gatewarden_add_stored(array_agg(c.account_id), c.kind, array_agg(c.owner_id), array_agg(c.n), array_agg(0::bigint))
  from (
    select a.account_id, o.kind, o.owner_id, sum(a.n)::bigint as n
    from unnest(accounts, workspaces, are_disabled, more) as a (account_id, workspace_id, disabled, n)
    cross join lateral (values
      ('key', '00000000-0000-0000-0000-000000000000'::uuid), ('key', a.workspace_id),
      ('enabled_key', case when not a.disabled then a.workspace_id end)
    ) as o (kind, owner_id)
    where o.owner_id is not null
    group by a.account_id, o.kind, o.owner_id having sum(a.n) <> 0
  ) c group by c.kind
$body$
