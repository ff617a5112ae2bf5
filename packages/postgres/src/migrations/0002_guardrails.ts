/** Guardrails. A default guardrail is one whose id a workspace names; it is a row from its first update on. */
export const guardrails = {
  id: 2,
  name: "guardrails",
  sql: `
create table gatewarden_guardrail (
  id uuid primary key,
  account_id uuid not null,
  workspace_id uuid not null,
  name text collate "C" not null,
  is_default boolean not null,
  description text collate "C",
  allowed_data_regions text[],
  allowed_models text[],
  allowed_providers text[],
  ignored_models text[],
  ignored_providers text[],
  content_filter_builtins jsonb,
  content_filters jsonb,
  enable_free_model_publication boolean not null,
  enable_free_model_training boolean not null,
  enable_paid_model_training boolean not null,
  enforce_zdr boolean,
  enforce_zdr_anthropic boolean not null,
  enforce_zdr_openai boolean not null,
  enforce_zdr_google boolean not null,
  enforce_zdr_xai boolean not null,
  enforce_zdr_other boolean not null,
  include_byok_in_budgets boolean not null,
  limit_nanos bigint,
  reset_interval text collate "C",
  created_at timestamptz not null,
  updated_at timestamptz,
  foreign key (workspace_id, account_id) references gatewarden_workspace (id, account_id) on delete cascade
);

create index gatewarden_guardrail_workspace on gatewarden_guardrail (workspace_id, created_at, id);
`
} as const
