/** What a management key is restricted to (Rule: access#restricted-keys). */
export const restrictedKeys = {
  id: 54,
  name: "restricted_keys",
  sql: `
alter table gatewarden_api_key add column restrictions jsonb,
  add constraint gatewarden_api_key_restrictions check (restrictions is null or kind = 'management');
`
} as const
