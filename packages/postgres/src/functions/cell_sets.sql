-- Sets of cells: their number (rollups.sql), whether they are by day or by hour, and the dimensions that they have. Those of core are the same.
create or replace function gatewarden_cell_sets()
returns table (number smallint, is_day boolean, dimensions text[]) language sql immutable as $body$
  select number::smallint + case when is_day then 0 else 128 end, is_day, dimensions::text[]
  from (values
    (0, '{}'), (8, '{provider,endpoint_tag}'), (64, '{model,variant}'), (2, '{status,finish_reason}'), (4, '{app}'), (32, '{api_key_hash}'),
    (72, '{model,variant,provider,endpoint_tag}'), (16, '{user_id}'), (1, '{external_user}'), (96, '{model,variant,api_key_hash}'),
    (80, '{model,variant,user_id}')
  ) as rollup (number, dimensions)
  cross join (values (true), (false)) as grain (is_day)
  where is_day or number in (0, 8, 64)
$body$
