-- The budgets that cannot pay one of the candidates, from 1: a denial is due in each of them.
create or replace function gatewarden_short_budgets(
  limits numeric[], counts_byok boolean[], spent numeric[], held numeric[], costs numeric[], is_byok boolean[]
)
returns int[] language sql immutable as $body$
  select coalesce(array_agg(b.n::int order by b.n), '{}')
  from unnest(limits, counts_byok, spent, held) with ordinality as b (budget_limit, counts_byok, spent, held, n)
  where exists (
    select from unnest(costs, is_byok) as c (cost, is_byok)
    where not gatewarden_affords(b.budget_limit, b.counts_byok, b.spent, b.held, c.cost, c.is_byok)
  )
$body$
