/** Workspaces disable server tools, and are listed: an index in the order of their list. */
export const workspaceSettings = {
  id: 47,
  name: "workspace_settings",
  sql: `
alter table gatewarden_workspace add column disabled_server_tools text[] collate "C";

create index gatewarden_workspace_time on gatewarden_workspace (account_id, created_at, id);
`
} as const
