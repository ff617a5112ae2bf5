/**
 * A row of the stream of deliveries holds all events that were recorded together for the same destinations: two thirds of what a row costs are
 * its indexes. Events with bodies have rows of their own, so that bodies go one by one.
 *
 * The places of the events of a row end with its own, and the sequence leaves room for them before it. Random ids and what is encrypted
 * cannot be compressed, so PostgreSQL does not try.
 */
export const deliveryTogether = {
  id: 67,
  name: "delivery_together",
  sql: `
alter table gatewarden_delivery
  add column following_ids text[] collate "C" not null default '{}',
  add column events integer not null default 1;
alter table gatewarden_delivery
  alter column following_ids set storage external,
  alter column sealed_bodies set storage external;
alter table gatewarden_dead_letter alter column sealed_bodies set storage external;
alter table gatewarden_generation_content alter column sealed_bodies set storage external;
alter sequence gatewarden_delivery_seq_seq increment by 1024;

alter table gatewarden_usage_staging add column delivery_run bigint;
`
} as const
