/**
 * What erasures rename is found by the name, so that an erasure reads no row of anyone else.
 *
 * Admissions and settlements write no entry of those on holds: an open hold is in none of them, and a settled one is deleted. A hold that is
 * given back or expires is one entry more. `user_id` and `member` are the same in nearly every hold, and settlements with charges are of
 * earlier versions, so the other two are all but empty.
 */
export const erasureIndexes = {
  id: 68,
  name: "erasure_indexes",
  sql: `
create index gatewarden_hold_closed_user on gatewarden_hold (account_id, user_id) where state <> 'open' and user_id is not null;
create index gatewarden_hold_closed_member on gatewarden_hold (account_id, member)
  where state <> 'open' and member is distinct from user_id and member is not null;
create index gatewarden_hold_charged on gatewarden_hold using gin ((settlement -> 'charges') jsonb_path_ops)
  where state = 'settled' and settlement -> 'charges' <> '[]';
create index gatewarden_budget_list_member on gatewarden_budget_list
  using gin (jsonb_path_query_array(budgets, '$[*] ? (@.scope == "member").entity')) with (fastupdate = off);
create index gatewarden_alert_member on gatewarden_alert (account_id, (data ->> 'entity')) where data ->> 'scope' = 'member';
-- For whoever asks whether an event is one of an erased person.
create index gatewarden_erasure_pseudonym on gatewarden_erasure (account_id, pseudonym);
`
} as const
