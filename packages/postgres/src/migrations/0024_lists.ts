/**
 * Indexes in the order of every list, behind what the list is of: a page is read from its place in the index, and what there is in
 * all is counted from the index alone. Lists that had an index without the account also read a row for each that they counted.
 */
export const lists = {
  id: 24,
  name: "lists",
  sql: `
create index gatewarden_guardrail_key_account on gatewarden_guardrail_key (account_id, created_at, id);
drop index gatewarden_guardrail_key_guardrail;
create index gatewarden_guardrail_key_guardrail on gatewarden_guardrail_key (guardrail_id, account_id, created_at, id);

create index gatewarden_guardrail_member_account on gatewarden_guardrail_member (account_id, created_at, id);
drop index gatewarden_guardrail_member_guardrail;
create index gatewarden_guardrail_member_guardrail on gatewarden_guardrail_member (guardrail_id, account_id, created_at, id);

create index gatewarden_workspace_member_time on gatewarden_workspace_member (workspace_id, account_id, created_at, id);

drop index gatewarden_guardrail_workspace;
create index gatewarden_guardrail_workspace on gatewarden_guardrail (workspace_id, account_id, created_at, id);

drop index gatewarden_byok_credential_workspace;
create index gatewarden_byok_credential_workspace on gatewarden_byok_credential (workspace_id, account_id, created_at, id);
create index gatewarden_byok_credential_provider on gatewarden_byok_credential
  (workspace_id, provider, account_id, created_at, id);

drop index gatewarden_destination_workspace;
create index gatewarden_destination_workspace on gatewarden_destination (workspace_id, account_id, created_at, id);

drop index gatewarden_api_key_workspace;
create index gatewarden_api_key_workspace on gatewarden_api_key (workspace_id, account_id, created_at, hash);
create index gatewarden_api_key_enabled on gatewarden_api_key (workspace_id, account_id, created_at, hash) where not disabled;
create index gatewarden_api_key_management on gatewarden_api_key (account_id, created_at, hash) where kind = 'management';

create index gatewarden_budget_warning_workspace on gatewarden_budget_warning (account_id, workspace_id, created_at, id);
`
} as const
