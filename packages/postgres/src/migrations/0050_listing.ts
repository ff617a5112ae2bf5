/** What lists of models show and filter by, beside what their endpoints tell. Nothing is known of the models that are there. */
export const listing = {
  id: 50,
  name: "listing",
  sql: `
alter table gatewarden_model add column listing jsonb not null default '{}';
alter table gatewarden_own_model add column listing jsonb not null default '{}';
`
} as const
