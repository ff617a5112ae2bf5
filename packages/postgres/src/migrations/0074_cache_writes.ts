/**
 * Tokens of the prompt that a request wrote to a cache. Events that were recorded before have none.
 *
 * A server of the version before may still record events, without this column, until it is replaced; so it may be null.
 */
export const cacheWrites = {
  id: 74,
  name: "cache_writes",
  sql: `
alter table gatewarden_usage_event add column cache_write_tokens bigint;
alter table gatewarden_usage_staging add column cache_write_tokens bigint;
`
} as const
