/**
 * What the tables of a database are, line by line: columns in their order, constraints, indexes, triggers, storage parameters, settings of
 * statistics. Nothing of it depends on the version of PostgreSQL, nor on the way on which a table became what it is.
 */
export const describeCatalogue = `
with t as (
  select c.* from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relname like 'gatewarden\\_%'
    and c.relname not in ('gatewarden_migration', 'gatewarden_function') and not c.relispartition and c.relkind in ('r', 'p', 'v')
), line (object, place, name, text) as (
  select t.relname, 0, '', concat_ws(' ', case t.relkind when 'v' then 'view' else 'table' end,
    case t.relpersistence when 'u' then 'unlogged' end, array_to_string(t.reloptions, ' '))
  from t
  union all
  select t.relname, 1, lpad(count(*) over (partition by t.oid order by a.attnum)::text, 3, '0'),
    concat_ws(' ', a.attname, format_type(a.atttypid, a.atttypmod),
      (select 'collate ' || o.collname from pg_collation o where o.oid = a.attcollation and o.collname <> 'default'),
      case when a.attnotnull then 'not null' end, case when a.attidentity <> '' then 'identity ' || a.attidentity::text end,
      'default ' || pg_get_expr(d.adbin, d.adrelid), case when a.attstorage <> y.typstorage then 'storage ' || a.attstorage::text end,
      'statistics ' || nullif(a.attstattarget, -1), array_to_string(a.attoptions, ' '))
  from t join pg_attribute a on a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped
  join pg_type y on y.oid = a.atttypid left join pg_attrdef d on d.adrelid = t.oid and d.adnum = a.attnum
  union all
  select t.relname, 2, c.conname, c.conname || ' ' || pg_get_constraintdef(c.oid)
  from t join pg_constraint c on c.conrelid = t.oid and c.contype <> 'n'
  union all
  select t.relname, 3, i.indexname, i.indexdef from t join pg_indexes i on i.tablename = t.relname and i.schemaname = current_schema()
  union all
  select t.relname, 4, g.tgname, pg_get_triggerdef(g.oid) || case g.tgenabled when 'O' then '' else ' ' || g.tgenabled::text end
  from t join pg_trigger g on g.tgrelid = t.oid and not g.tgisinternal
  union all
  select t.relname, 5, s.stxname, pg_get_statisticsobjdef(s.oid) from t join pg_statistic_ext s on s.stxrelid = t.oid
  union all
  select t.relname, 6, '', regexp_replace(replace(pg_get_viewdef(t.oid), 'gatewarden_usage_event.', ''), '\\s+', ' ', 'g') from t where t.relkind = 'v'
)
select object || ': ' || replace(text, current_schema() || '.', '') as line from line
order by object collate "C", place, name collate "C", text collate "C"`
