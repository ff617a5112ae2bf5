const usd = (nanos: string): string => `trim_scale(${nanos} * 0.000000001)::text`

/** What the alert of a budget warning is about, from the columns of the warning. `row`: the name of a row of the table of warnings. */
export const alertColumns = (row: string) => ({
  type: `'budget.' || ${row}.kind`,
  subject: `concat_ws(':', ${row}.scope, ${row}.guardrail_id::text, ${row}.entity, ${row}.interval)`,
  crossing: `case when isfinite(${row}.window_start) then (extract(epoch from ${row}.window_start) * 1000)::bigint::text else 'lifetime' end
      || ':' || ${row}.limit_nanos::text`,
  data: `json_build_object(
      'scope', ${row}.scope, 'entity', ${row}.entity, 'guardrail_id', ${row}.guardrail_id, 'interval', ${row}.interval,
      'window_start', case when isfinite(${row}.window_start)
        then to_char(${row}.window_start at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') end,
      'limit_usd', ${usd(`${row}.limit_nanos`)}, 'spent_usd', ${usd(`${row}.spent_nanos`)}, 'held_usd', ${usd(`${row}.held_nanos`)}
    )`
})
