/** Rows that name a person are found by the name: the export of personal data reads no row of anyone else. */
export const personalIndexes = {
  id: 63,
  name: "personal_indexes",
  sql: `
create index gatewarden_api_key_creator on gatewarden_api_key (account_id, creator_user_id)
  where creator_user_id is not null;
create index gatewarden_api_key_external on gatewarden_api_key (account_id, external_user) where external_user is not null;
create index gatewarden_authorization_code_user on gatewarden_authorization_code (account_id, user_id)
  where user_id is not null;
create index gatewarden_guardrail_key_by on gatewarden_guardrail_key (account_id, assigned_by) where assigned_by is not null;
create index gatewarden_guardrail_member_by on gatewarden_guardrail_member (account_id, assigned_by)
  where assigned_by is not null;
create index gatewarden_preset_version_creator on gatewarden_preset_version (creator_id, preset_id);
`
} as const
