/**
 * An account with as many rows in each of its lists as one number says, and its history of requests: written by SQL, since through
 * the API it would take hours. Triggers are off, so that the log of changes does not grow with what was
 * never changed; the counts of lists that triggers keep are written as they would.
 */
import type { FilePlace } from "@gatewarden/core/internal"

export const account = "5eed0000-0000-4000-8000-000000000001"
export const workspace = "5eed0000-0000-4000-8000-000000000002"
/** Which has the versions. */
const preset = "5eed0000-0000-4000-8000-000000000004"
/** To which everything is assigned. */
export const guardrail = "5eed0000-0000-4000-8000-000000000003"

export const models = 20
const days = 90

const hashOf = (n: string): string => `encode(sha256(('key ' || ${n})::text::bytea), 'hex')`

/** Rows come a second apart: lists are in the order in which they were made. */
const made = "timestamptz '2026-01-01' + n * interval '1 second'"

/** The n-th of the files that are written below, from 1. */
export const filePlace = (n: number): FilePlace => ({
  id: `gw_file_${n}`,
  created_at: new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString()
})

export const seedLists = (rows: number): readonly string[] => [
  "set session_replication_role = replica",
  `insert into gatewarden_account (id, name, default_workspace_id, created_at) values ('${account}', 'grown', '${workspace}', now())`,
  `insert into gatewarden_workspace (id, account_id, slug, name, description, created_by, default_text_model, default_image_model,
     default_provider_sort, default_guardrail_id, io_logging_sampling_rate, is_data_discount_logging_enabled,
     is_observability_broadcast_enabled, is_observability_io_logging_enabled, created_at, updated_at)
   values ('${workspace}', '${account}', 'grown', 'grown', '', 'system', '', '', '', gen_random_uuid(), 1, false, false, false,
     now(), now())`,
  `insert into gatewarden_api_key (hash, account_id, kind, workspace_id, user_id, name, label, disabled, limit_nanos,
     include_byok_in_limit, created_at)
   select ${hashOf("n")}, '${account}', 'normal', '${workspace}', 'user ' || n, 'key ' || n, 'sk-...', false, 1000000000000, false,
     ${made} from generate_series(1, ${rows}) as n`,
  `insert into gatewarden_workspace_member (workspace_id, user_id, id, account_id, role, created_at)
   select '${workspace}', 'user ' || n, gen_random_uuid(), '${account}', 'member', ${made} from generate_series(1, ${rows}) as n`,
  `insert into gatewarden_named_user (account_id, user_id) select '${account}', 'user ' || n from generate_series(1, ${rows}) as n`,
  `insert into gatewarden_guardrail (id, account_id, workspace_id, name, is_default, enable_free_model_publication,
     enable_free_model_training, enable_paid_model_training, enforce_zdr_anthropic, enforce_zdr_openai, enforce_zdr_google,
     enforce_zdr_xai, enforce_zdr_other, include_byok_in_budgets, created_at)
   select case n when 1 then '${guardrail}' else gen_random_uuid() end, '${account}', '${workspace}', 'guardrail ' || n, false,
     true, true, true, false, false, false, false, false, false, ${made} from generate_series(1, ${rows}) as n`,
  `insert into gatewarden_guardrail_key (key_hash, id, account_id, guardrail_id, created_at)
   select ${hashOf("n")}, gen_random_uuid(), '${account}', '${guardrail}', ${made} from generate_series(1, ${rows}) as n`,
  `insert into gatewarden_guardrail_member (user_id, id, account_id, guardrail_id, created_at)
   select 'user ' || n, gen_random_uuid(), '${account}', '${guardrail}', ${made} from generate_series(1, ${rows}) as n`,
  `insert into gatewarden_byok_credential (id, account_id, workspace_id, provider, label, sealed_key, disabled, is_fallback,
     is_required, is_byok_only, sort_order, created_at)
   select gen_random_uuid(), '${account}', '${workspace}', (array['openai', 'anthropic'])[1 + n % 2], 'sk-...', '', false, false,
     false, false, n, ${made} from generate_series(1, ${rows}) as n`,
  `insert into gatewarden_destination (id, account_id, workspace_id, type, enabled, privacy_mode, sampling_rate,
     broadcast_generation_cost, broadcast_generation_identity, broadcast_generation_request_context, regions, config, sealed_config,
     created_at, updated_at)
   select gen_random_uuid(), '${account}', '${workspace}', 'webhook', true, false, 1, true, true, true, '{}', '{}', '', ${made}, now()
   from generate_series(1, ${rows}) as n`,
  `insert into gatewarden_preset (id, account_id, workspace_id, slug, name, status, creator_user_id, designated_version_id,
     last_version, created_at, updated_at)
   select case n when 1 then '${preset}' else gen_random_uuid() end, '${account}', '${workspace}', 'preset-' || n, 'preset', 'active',
     'system', gen_random_uuid(), case n when 1 then ${rows} else 1 end, ${made}, ${made} from generate_series(1, ${rows}) as n`,
  `insert into gatewarden_preset_version (id, preset_id, version, config, system_prompt, creator_id, created_at, updated_at)
   select gen_random_uuid(), '${preset}', n, '{}', '', 'system', ${made}, ${made} from generate_series(1, ${rows}) as n`,
  `insert into gatewarden_file (id, account_id, workspace_id, state, changed_at, filename, mime_type, size_bytes, created_at)
   select 'gw_file_' || n, '${account}', '${workspace}', 'stored', now(), 'a.txt', 'text/plain', 1, ${made}
   from generate_series(1, ${rows}) as n`,
  `insert into gatewarden_budget_warning (account_id, workspace_id, kind, scope, entity, interval, window_start, include_byok,
     limit_nanos, spent_nanos, held_nanos, created_at)
   select '${account}', '${workspace}', 'denied', 'key_limit', ${hashOf("n")}, 'lifetime', '-infinity', false, 1, 1, 0, ${made}
   from generate_series(1, ${rows}) as n`,
  `insert into gatewarden_stored_amount (account_id, kind, workspace_id, rows, bytes)
   select '${account}'::uuid, kind, owner::uuid, ${rows}, 0
   from (values ('guardrail', '${workspace}'), ('credential', '${workspace}'), ('member', '${workspace}'),
     ('destination', '${workspace}'), ('preset', '${workspace}'), ('warning', '${workspace}'), ('key_assignment', '${guardrail}'),
     ('member_assignment', '${guardrail}'), ('key', '${workspace}'), ('enabled_key', '${workspace}')) as listed (kind, owner_id)
   cross join lateral (values (owner_id), ('00000000-0000-0000-0000-000000000000')) as owners (owner)
   union all
   select '${account}'::uuid, 'credential ' || provider, '${workspace}'::uuid, ${rows / 2}, 0
   from (values ('openai'), ('anthropic')) as providers (provider)
   union all
   select '${account}'::uuid, 'user', '00000000-0000-0000-0000-000000000000', ${rows}, 0`,
  "set session_replication_role = origin"
]

const eventsAtOnce = 100_000

/**
 * So many events of the last three months, evenly: every tenth of one key, so that one has a long history of its own, the others of
 * one key after another; in one workspace; of twenty models, each at two providers; of fifty apps. The kept sums are made as they always are.
 */
export const seedEvents = (events: number, keys: number): readonly string[] => [
  `select gatewarden_open_usage_days(array(select (now() - n * interval '1 day')::date from generate_series(-1, ${days}) as n))`,
  ...eventRows(events, keys),
  `insert into gatewarden_usage_id (created_at, key)
   select created_at, gatewarden_usage_key(account_id, id) from gatewarden_usage_event order by created_at on conflict do nothing`
]

const eventRows = (events: number, keys: number): readonly string[] =>
  Array.from({ length: Math.ceil(events / eventsAtOnce) }, (_, chunk) => [
    chunk * eventsAtOnce + 1,
    Math.min(events, (chunk + 1) * eventsAtOnce)
  ]).map(
    ([first, last]) => `
  insert into gatewarden_usage_event (account_id, id, workspace_id, created_at, recorded_at, model, variant, provider, api_key_hash,
    user_id, status, byok, guardrail_invoked, response_cached, prompt_tokens, completion_tokens, reasoning_tokens, cached_tokens,
    tool_calls, context_length_bucket, cost_nanos, byok_cost_nanos, latency_ms, generation_ms, throughput, sample_weight, origin,
    session_id, classifiers)
  select '${account}', 'event ' || n, '${workspace}', at, at, 'acme/model-' || n % ${models}, '',
    (array['openai', 'anthropic'])[1 + n / ${models} % 2], ${hashOf("key")}, 'user ' || key,
    case when n % 50 = 0 then 'error' else 'ok' end,
    false, false, false, 100, 20, null, null, null, '1K', 1000 + n % 1000, n % 7, n % 900, 100 + n % 900, 20 + n % 50, null,
    'https://app-' || n % 50 || '.example.com', 'session ' || n / 10, '{"task":{"tag":"code:x"}}'
  from (
    select n, case when n % 10 = 0 then 1 else 1 + n / ${Math.max(1, Math.round(events / keys))} % ${keys} end as key,
      now() - (${events} - n) * (interval '${days} days' / ${events}) as at
    from generate_series(${first}, ${last}) as n
  ) as made`
  )

/** The hash of a key by its number, as SQL. Every tenth event is of the first. */
export const keyHash = (n: number): string => hashOf(`${n}`)
