/**
 * Lists of budgets keep their limits interval by interval, not spender by spender, so that an interval that is added moves none of them.
 *
 * The numbers are those of the four intervals that there were.
 */
export const intervalSlots = {
  id: 41,
  name: "interval_slots",
  sql: `
update gatewarden_budget_list set
  limits = array(select limits[spender * 4 + place] from generate_series(1, 4) as place, generate_series(0, 2) as spender order by place, spender),
  full_limits = array(
    select full_limits[spender * 4 + place] from generate_series(1, 4) as place, generate_series(0, 2) as spender order by place, spender
  );
`
} as const
