-- How much accounts and workspaces keep, counted by triggers as it comes and goes: quotas and `total_count` cost a few rows, however long
-- a list is.
--
-- An owner's amount of a kind is the sum of its rows. The owner is the workspace, for assignments the guardrail, and the id of zeros for
-- the account as a whole. Credentials of one provider are a kind of their own, `credential <provider>`, and so are keys that are not
-- disabled, `enabled_key`. Amounts of a workspace and of a guardrail go with it; warnings outlive their workspace.

create table gatewarden_stored_amount (
  id bigint generated always as identity primary key,
  account_id uuid not null,
  kind text collate "C" not null,
  workspace_id uuid not null,
  rows bigint not null,
  bytes bigint not null
) with (fillfactor = 50);

create index gatewarden_stored_amount_owner on gatewarden_stored_amount (account_id, kind, workspace_id);
create index gatewarden_stored_amount_workspace on gatewarden_stored_amount (workspace_id);

create policy gatewarden_tenant on gatewarden_stored_amount
  using (current_user <> 'gatewarden_tenant' or account_id = (select nullif(current_setting('gatewarden.account', true), '')::uuid));
