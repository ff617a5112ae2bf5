-- Switches the policies of all tables on or off, and gives the role of accounts what its statements need. Docs:
-- docs/operating/postgresql.md.
create or replace function gatewarden_row_level_security(is_on boolean)
returns void language plpgsql as $body$
declare
  one record;
begin
  if is_on and to_regrole('gatewarden_tenant') is null then
    raise exception 'The role gatewarden_tenant does not exist'
      using hint = 'create role gatewarden_tenant nologin; grant gatewarden_tenant to the role of the server';
  end if;
  for one in
    select c.relname, c.relkind, c.relrowsecurity,
      exists (select from pg_policy p where p.polrelid = c.oid and p.polname = 'gatewarden_tenant') as has_policy
    from pg_class c
    -- A partition is read through its table, whose policy holds then.
    where c.relnamespace = current_schema()::regnamespace and c.relname like 'gatewarden\_%' and c.relkind in ('r', 'p', 'v', 'S')
      and not c.relispartition
  loop
    if one.has_policy and one.relrowsecurity <> is_on then
      execute format('alter table %I %s row level security', one.relname, case when is_on then 'enable' else 'disable' end);
    end if;
    continue when not is_on;
    execute format(
      'grant %s on %I to gatewarden_tenant',
      case when one.relkind = 'S' then 'usage'
        when one.relkind = 'v' or one.relname in ('gatewarden_migration', 'gatewarden_function') then 'select'
        else 'select, insert, update, delete' end,
      one.relname
    );
  end loop;
  if is_on then execute format('grant usage on schema %I to gatewarden_tenant', current_schema()); end if;
end
$body$
