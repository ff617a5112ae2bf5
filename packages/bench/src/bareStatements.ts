/**
 * What a handler without a gateway would ask of the database: one statement each, on the tables of the store.
 *
 * The columns are those that the API answers with; secrets and ownership stay where they are.
 */
export const guardrailColumns = `id, workspace_id, name, description, allowed_data_regions, allowed_models, allowed_providers,
  ignored_models, ignored_providers, content_filter_builtins, content_filters, enable_free_model_publication,
  enable_free_model_training, enable_paid_model_training, enforce_zdr, enforce_zdr_anthropic, enforce_zdr_openai,
  enforce_zdr_google, enforce_zdr_xai, enforce_zdr_other, include_byok_in_budgets, limit_nanos::float8 / 1e9 as limit_usd,
  reset_interval, created_at, updated_at`

export const selectGuardrail = `select ${guardrailColumns} from gatewarden_guardrail where id = $1 and account_id = $2`

export const updateGuardrail = `update gatewarden_guardrail set description = $3, limit_nanos = $4, updated_at = $5::timestamptz
  where id = $1 and account_id = $2 returning ${guardrailColumns}`

export const insertByokCredential = `insert into gatewarden_byok_credential
  (id, account_id, workspace_id, provider, name, label, sealed_key, disabled, is_fallback, is_required, is_byok_only,
   sort_order, created_at)
  values ($1, $2, $3, $4, $5, $6, $7, false, false, false, false, $8, $9::timestamptz)
  returning id, workspace_id, provider, name, label, disabled, is_fallback, is_required, is_byok_only, declared_region,
    declared_zdr, sort_order, allowed_api_key_hashes, allowed_models, allowed_user_ids, created_at`
