/**
 * The budget of a default guardrail binds each member over all keys in the workspace, and each key: a user in a workspace becomes a spender,
 * and the scope `workspace` of a budget becomes `workspace_default_key`, which is what it was.
 *
 * Sums of users in workspaces are made from the recorded usage, in one pass. Days before the previous month become one row, as elsewhere.
 */
const scopes = `update gatewarden_budget_list set budgets = (
  select jsonb_agg(
    case when e.budget ->> 'scope' = 'workspace' then jsonb_set(e.budget, '{scope}', '"workspace_default_key"') else e.budget end order by e.n
  ) from jsonb_array_elements(budgets) with ordinality as e (budget, n)
) where budgets @> '[{"scope": "workspace"}]'`

/** Slots of three spenders an interval become slots of four. */
const withFourth = (column: string): string => `(
  select array_agg(case when s.slot % 4 = 3 then null else ${column}[s.slot / 4 * 3 + s.slot % 4 + 1] end order by s.slot)
  from generate_series(0, cardinality(${column}) / 3 * 4 - 1) as s (slot)
)`

export const defaultGuardrailBudgets = {
  id: 75,
  name: "default_guardrail_budgets",
  sql: `
${scopes};
update gatewarden_budget_list set limits = ${withFourth("limits")}, full_limits = ${withFourth("full_limits")};

update gatewarden_hold set settlement = jsonb_set(settlement, '{charges}', (
  select jsonb_agg(
    case when e.charge ->> 'scope' = 'workspace' then jsonb_set(e.charge, '{scope}', '"workspace_default_key"') else e.charge end order by e.n
  ) from jsonb_array_elements(settlement -> 'charges') with ordinality as e (charge, n)
)) where state = 'settled' and settlement -> 'charges' <> '[]' and settlement -> 'charges' @> '[{"scope": "workspace"}]';

update gatewarden_budget_warning set scope = 'workspace_default_key' where scope = 'workspace';
update gatewarden_alert set subject = 'workspace_default_key' || substr(subject, 10),
  data = jsonb_set(data::jsonb, '{scope}', '"workspace_default_key"')::json
where left(subject, 10) = 'workspace:';
update gatewarden_alert_delivery set subject = 'workspace_default_key' || substr(subject, 10) where left(subject, 10) = 'workspace:';

insert into gatewarden_spent (account_id, spender, entity, day, charged_nanos, charged_byok_nanos)
select e.account_id, 'workspace_user', e.user_id || ' ' || e.workspace_id::text,
  case when charged.day < date_trunc('month', date_trunc('month', now() at time zone 'UTC') - interval '1 day')::date
    then '-infinity' else charged.day end,
  sum(e.cost_nanos), sum(e.byok_cost_nanos)
from gatewarden_usage_event e
cross join lateral (select (coalesce(e.charged_at, e.created_at) at time zone 'UTC')::date as day) charged
where e.user_id is not null and (e.cost_nanos <> 0 or e.byok_cost_nanos <> 0)
group by 1, 3, 4;

drop index gatewarden_budget_list_member;
create index gatewarden_budget_list_member on gatewarden_budget_list
  using gin (jsonb_path_query_array(budgets, '$[*] ? (@.scope == "member" || @.scope == "workspace_default_member").entity'))
  with (fastupdate = off);
drop index gatewarden_alert_member;
create index gatewarden_alert_member on gatewarden_alert (account_id, (data ->> 'entity'))
  where data ->> 'scope' in ('member', 'workspace_default_member');
`
} as const
