/** Where the account behind a credential processes requests, as its owner or its key declares (Rule: byok#declared-region). */
export const declaredRegion = {
  id: 84,
  name: "declared_region",
  sql: `
alter table gatewarden_byok_credential add column declared_region text collate "C"
  constraint gatewarden_byok_credential_region check (declared_region in ('global', 'europe', 'us'));
`
} as const
