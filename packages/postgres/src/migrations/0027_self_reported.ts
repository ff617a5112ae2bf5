/**
 * Which events the account itself reported, not the operator: they count for the account, and in no statistics that others see.
 *
 * `null` is false: so it is of events that were recorded before, and of those that a process of the version before records.
 */
export const selfReported = {
  id: 27,
  name: "self_reported",
  sql: `
alter table gatewarden_usage_event add column self_reported boolean;
alter table gatewarden_usage_staging add column self_reported boolean;

create or replace view gatewarden_ranking_event as
select
  (created_at at time zone 'UTC')::date as day,
  created_at,
  recorded_at,
  prompt_tokens + completion_tokens as tokens,
  sample_weight,
  coalesce('text' = any (output_modalities), false) as text,
  coalesce('image' = any (input_modalities), false) as image,
  coalesce('image' = any (output_modalities), false) as image_output,
  coalesce('audio' = any (input_modalities), false) as audio,
  tool_calls > 0 as tool_calling,
  model,
  variant,
  context_length_bucket as context_bucket,
  category,
  language_type
from gatewarden_usage_event
where self_reported is not true;

-- What is not ranked makes no day be folded again.
create or replace function gatewarden_ranking_note_late() returns trigger
language plpgsql as $$
declare
  touched date[];
begin
  select array_agg(distinct (created_at at time zone 'UTC')::date) into touched from added where self_reported is not true;
  if touched is null then
    return null;
  end if;
  perform pg_advisory_xact_lock_shared(1735684715, gatewarden_ranking_lock(day)) from unnest(touched) as days (day);
  if current_setting('transaction_isolation') <> 'read committed' then
    -- The snapshot is older than the lock, and a fold that began in between does not show.
    insert into gatewarden_ranking_late (day) select day from unnest(touched) as days (day);
  elsif exists (select from gatewarden_ranking_day where day = any (touched)) then
    insert into gatewarden_ranking_late (day)
    select day from gatewarden_ranking_day folded
    where day = any (touched) and not exists (select from gatewarden_ranking_late late where late.day = folded.day);
  end if;
  return null;
end
$$;
`
} as const
