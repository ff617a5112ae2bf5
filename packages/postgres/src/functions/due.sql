-- The warnings that are due for an amount spent: `dueBySpending` of core. A limit of 0 is spent from the start and gets no warning.
create or replace function gatewarden_due(budget_limit numeric, spent numeric)
returns text[] language sql immutable as $body$
  select case
    when budget_limit <= 0 or spent * 100 < budget_limit * 80 then '{}'::text[]
    when spent * 100 < budget_limit * 95 then '{spent_80}'
    else '{spent_80,spent_95}'
  end
$body$
