/** SQL for tests that write usage events past the store: what recording does beside. */

/** Makes the partitions of days, `YYYY-MM-DD` or expressions of a date, both inclusive. */
export const opensDays = (first: string, last: string = first): string => {
  const date = (day: string) => (/^\d/.test(day) ? `date '${day}'` : `(${day})::date`)
  return `select gatewarden_open_usage_days(array(
    select d::date from generate_series(${date(first)}::timestamp, ${date(last)}::timestamp, interval '1 day') as d))`
}

/** Enters the ids of events that were written past the store. */
export const entersIds = `insert into gatewarden_usage_id (created_at, key)
  select created_at, gatewarden_usage_key(account_id, id) from gatewarden_usage_event on conflict do nothing`

/** A condition on `relname`: the table, or one of its partitions. */
export const ofTable = (table: string): string => `(relname = '${table}' or relname ~ '^${table}_([0-9]{6,8}|early)$')`
