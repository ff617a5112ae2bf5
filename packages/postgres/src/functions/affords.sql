-- Whether a budget can pay the cost of a candidate: `affords` of core.
create or replace function gatewarden_affords(
  budget_limit numeric, counts_byok boolean, spent numeric, held numeric, cost numeric, is_byok boolean
)
returns boolean language sql immutable as $body$
  select spent + held + (case when is_byok and not counts_byok then 0 else cost end) <= budget_limit
$body$
