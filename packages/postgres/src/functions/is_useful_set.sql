-- Whether cells are worth keeping beside the events that they sum: reading them is to be five times as little, of what is not little
-- anyway.
create or replace function gatewarden_is_useful_set(cells bigint, events bigint)
returns boolean language sql immutable as $body$
  select events >= 200 and cells * 5 <= events
$body$
