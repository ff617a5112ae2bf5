/** Pages of events in the order of time and id, also where a million events have one time. */
export const usageInOrder = {
  id: 51,
  name: "usage_in_order",
  sql: `
create index gatewarden_usage_event_order on gatewarden_usage_event (account_id, created_at, id);
drop index gatewarden_usage_event_time;
`
} as const
