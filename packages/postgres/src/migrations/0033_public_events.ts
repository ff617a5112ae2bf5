/**
 * The statistics of a model's endpoints read the events of the model by their time: those that the operator's side recorded, and of an
 * account's own model also what that account reported itself. Each event is in one of two indexes, so that what accounts report costs
 * the readers of public models nothing.
 */
export const publicEvents = {
  id: 33,
  name: "public_events",
  sql: `
drop index gatewarden_usage_event_model;
create index gatewarden_usage_event_model on gatewarden_usage_event (model, created_at)
  include (variant, status, endpoint_tag, provider) where self_reported is not true;
create index gatewarden_usage_event_self_reported on gatewarden_usage_event (account_id, model, created_at) where self_reported;
`
} as const
