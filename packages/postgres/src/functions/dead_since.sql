-- Since when a destination is dead, if that is long enough for an alert: `deadSince` of core.
create or replace function gatewarden_dead_since(
  is_open boolean, due_at timestamptz, failing_since timestamptz, refusals integer, refusing_since timestamptz, at timestamptz
)
returns timestamptz language sql stable as $body$
  select case
    when is_open and due_at is not null and failing_since <= at - 3600 * interval '1 second' then failing_since
    when refusals >= 3 and refusing_since <= at - 300 * interval '1 second' then refusing_since
  end
$body$
