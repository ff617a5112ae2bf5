/** Finds at once whether a key or a membership names a user, which is how a user exists. */
export const users = {
  id: 15,
  name: "users",
  sql: `
create index gatewarden_api_key_user on gatewarden_api_key (account_id, user_id) where user_id is not null;
create index gatewarden_workspace_member_user on gatewarden_workspace_member (account_id, user_id);
`
} as const
