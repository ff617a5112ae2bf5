-- What cells are made of beside the columns of an event, as columns of a query over gatewarden_usage_event e.
create or replace function gatewarden_summed_columns()
returns text language sql immutable as $body$
  select 'date_bin(''1 hour'', e.created_at, ''epoch'') as hour, date_bin(''1 day'', e.created_at, ''1970-01-01T00:00:00Z'') as day, '
    || 'case when e.status = ''ok'' then e.latency_ms end as latency, case when e.status = ''ok'' then e.throughput end as speed'
$body$
