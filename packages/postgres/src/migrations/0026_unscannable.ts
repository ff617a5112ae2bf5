/** What a guardrail says of parts that its content filters cannot look into: `allow` or `block`. */
export const unscannable = {
  id: 26,
  name: "unscannable",
  sql: `
alter table gatewarden_guardrail add column content_filter_unscannable text collate "C" not null default 'allow';
`
} as const
