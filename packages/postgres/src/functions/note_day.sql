-- Counts events of a day of an account. Its fine sets do not have them: they go, and the day is closed again later.
create or replace function gatewarden_note_day(account uuid, noted date, more bigint, at timestamptz)
returns void language sql as $body$
  insert into gatewarden_usage_day as d (account_id, day, events, changed_at, kept, is_closed, is_whole)
  values (account, noted, more, at, '{}', false, false)
  on conflict (account_id, day) do update set
    events = d.events + excluded.events, changed_at = greatest(d.changed_at, excluded.changed_at), is_closed = false, is_whole = false,
    kept = array(select one from unnest(d.kept) one where one = any (gatewarden_coarse_sets())),
    making = case when d.making_for = 'the day in progress' then d.making end,
    making_for = case when d.making_for = 'the day in progress' then d.making_for end,
    made = case when d.making_for = 'the day in progress' then d.made end
$body$
