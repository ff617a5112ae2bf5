/** Whom a deleted key acted for: a request that was admitted before is settled under the same names. */
export const deletedKeyOwner = {
  id: 65,
  name: "deleted_key_owner",
  sql: `
alter table gatewarden_deleted_key add column user_id text collate "C", add column external_user text collate "C";

create index gatewarden_deleted_key_user on gatewarden_deleted_key (account_id, user_id) where user_id is not null;
create index gatewarden_deleted_key_external on gatewarden_deleted_key (account_id, external_user)
  where external_user is not null;
`
} as const
