/** Input and output of requests, encrypted, where a workspace keeps them (Rule: usage#prompt-logging). Written with their event. */
export const generationContent = {
  id: 60,
  name: "generation_content",
  sql: `
create table gatewarden_generation_content (
  account_id uuid not null,
  workspace_id uuid not null,
  recorded_at timestamptz not null,
  event_id text collate "C" not null,
  sealed_bodies bytea not null,
  primary key (account_id, event_id)
);

create index gatewarden_generation_content_recorded on gatewarden_generation_content (recorded_at);
create index gatewarden_generation_content_workspace on gatewarden_generation_content (workspace_id);

alter table gatewarden_usage_staging add column sealed_content bytea;
`
} as const
