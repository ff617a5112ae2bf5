/** Rankings leave out what private endpoints served (Rule: usage#public-statistics). Their tags begin with `private/`. */
export const publicUsage = {
  id: 86,
  name: "public_usage",
  sql: `
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
where self_reported is not true and (endpoint_tag is null or not starts_with(endpoint_tag, 'private/'));
`
} as const
