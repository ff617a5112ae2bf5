-- What a request holds: the largest of the costs that fit every budget. Null if none does. `judgeHold` of core.
--
-- One element for each budget, and one for each candidate. Budgets that count BYOK hold `full_nanos`, others `nanos`.
create or replace function gatewarden_judge_hold(
  limits numeric[], counts_byok boolean[], spent numeric[], held numeric[], costs numeric[], is_byok boolean[]
)
returns table (nanos numeric, full_nanos numeric) language sql immutable as $body$
  select max(case when c.is_byok then 0 else c.cost end), max(c.cost)
  from unnest(costs, is_byok) as c (cost, is_byok)
  where not exists (
    select from unnest(limits, counts_byok, spent, held) as b (budget_limit, counts_byok, spent, held)
    where not gatewarden_affords(b.budget_limit, b.counts_byok, b.spent, b.held, c.cost, c.is_byok)
  )
$body$
