/** Holds what requests may cost: one statement locks the windows in one order, decides on what they hold when it has them, holds. */
import type { Budget, BudgetWarning, HoldOutcome, HoldRequest } from "@gatewarden/core/effect"
import { formatInstant } from "@gatewarden/core/effect"
import { Effect } from "effect"
import type { SqlClient } from "effect/sql"
import { arrayLiteral } from "./arrayLiteral.ts"
import { budgetWarnings, dueBySpending, warningColumns, warningOf, type WarningRow } from "./budgetWarnings.ts"
import { budgetWindows, type Instant, printedStart, stateOf, windowsOf, type WindowRow } from "./budgetWindows.ts"

/** A budget as it is kept with a hold: what settling it needs. `n` is its window among the hold's, from 1. */
export interface KeptBudget extends Omit<Budget, "limit_nanos"> {
  readonly limit_nanos: string
  readonly n: number
}

/** `limit_nanos` as text: JSON has no exact integer of that size. */
const kept = (budgets: readonly Budget[], indices: readonly number[]): string =>
  JSON.stringify(
    budgets.map(({ scope, entity, guardrail_id, interval, limit_nanos, include_byok }, index): KeptBudget => ({
      scope,
      entity,
      guardrail_id,
      interval,
      include_byok,
      limit_nanos: limit_nanos.toString(),
      n: indices[index] ?? 0
    }))
  )

export interface Held {
  readonly outcomes: readonly HoldOutcome[]
  readonly warnings: readonly BudgetWarning[]
}

/**
 * Why nothing was decided: a window is not there yet, a hold has expired unseen, or some of several requests fit and some do not,
 * which is for one at a time to find out.
 */
export type Undecided = "missing" | "stale" | "crowded"

interface Row {
  readonly verdict: "missing" | "stale" | "crowded" | "held" | "denied"
  readonly windows: readonly WindowRow[] | null
  readonly holds: readonly { nanos: string; full_nanos: string; at: string }[] | null
  readonly warnings: readonly WarningRow[] | null
}

/**
 * The windows are locked by all that hold there, so requests are decided one after another, and several at once only where no
 * order could make a difference: all of them are held if all they may cost fits together, and all denied if none of them fits
 * alone.
 */
export const holdBudgets = (sql: SqlClient.SqlClient) => {
  const { wanted } = budgetWindows(sql)
  const { recorded } = budgetWarnings(sql)

  const isWanted = (account_id: string) => sql`
    w.account_id = ${account_id}::uuid and w.spender = wanted.spender and w.entity = wanted.entity
    and w.interval = wanted.interval and w.window_start = wanted.window_start`

  const outcomesOf = (budgets: readonly Budget[], count: number, row: Row): readonly HoldOutcome[] => {
    const { indices } = windowsOf(budgets)
    const windows = row.windows ?? []
    let before = { nanos: 0n, full: 0n }
    return Array.from({ length: count }, (_, index): HoldOutcome => {
      const states = budgets.flatMap((budget, nth) => {
        const window = windows[(indices[nth] ?? 0) - 1]
        if (window === undefined) return []
        const state = stateOf(budget, window)
        return [{ ...state, held_nanos: state.held_nanos + (budget.include_byok ? before.full : before.nanos) }]
      })
      const hold = row.holds?.[index]
      if (hold === undefined) return { held: false, states }
      const amount = { nanos: BigInt(hold.nanos), full: BigInt(hold.full_nanos) }
      before = { nanos: before.nanos + amount.nanos, full: before.full + amount.full }
      return {
        held: true,
        states,
        holds: states.map(({ budget, window_start }) => ({
          budget,
          window_start,
          nanos: budget.include_byok ? amount.full : amount.nanos
        })),
        expires_at: formatInstant(Number(hold.at))
      }
    })
  }

  /** Of requests over the same budgets and workspace. Nothing is locked unless every window is there and, if `swept` says so, no hold has expired unseen. */
  return (
    account_id: string,
    budgets: readonly Budget[],
    workspace_id: string,
    requests: readonly Pick<HoldRequest, "admission_id" | "costs" | "hold_seconds">[],
    now: Instant,
    swept: boolean
  ) => {
    const { names, indices } = windowsOf(budgets)
    const costs = requests.flatMap((request, index) => request.costs.map((cost) => ({ ...cost, r: index + 1 })))
    const statement = sql<Row>`
      with wanted as (${wanted(names, now)}),
      stale as (
        select ${
          swept
            ? sql`false`
            : sql`exists (
                select 1 from gatewarden_hold
                where account_id = ${account_id}::uuid and state = 'open' and expires_at <= ${now}
              )`
        } as is_stale
      ), locked as (
        select wanted.n, w.* from gatewarden_budget_window w join wanted on ${isWanted(account_id)}
        where (select count(*) from gatewarden_budget_window w join wanted on ${isWanted(account_id)}) = ${names.length}::bigint
          and not (select is_stale from stale)
        order by w.id for update of w
      ), budget as (
        select b.*, l.window_start,
          case when b.include_byok then l.spent_nanos + l.byok_spent_nanos else l.spent_nanos end as spent_nanos,
          case when b.include_byok then l.full_held_nanos else l.held_nanos end as held_nanos
        from unnest(
          ${arrayLiteral(indices)}::int[],
          ${arrayLiteral(budgets.map(({ scope }) => scope))}::text[],
          ${arrayLiteral(budgets.map(({ entity }) => entity))}::text[],
          ${arrayLiteral(budgets.map(({ guardrail_id }) => guardrail_id))}::uuid[],
          ${arrayLiteral(budgets.map(({ interval }) => interval))}::text[],
          ${arrayLiteral(budgets.map(({ limit_nanos }) => limit_nanos))}::numeric[],
          ${arrayLiteral(budgets.map(({ include_byok }) => include_byok))}::boolean[]
        ) with ordinality as b (n, scope, entity, guardrail_id, interval, limit_nanos, include_byok, ord)
        join locked l on l.n = b.n
      ), cost as (
        select * from unnest(
          ${arrayLiteral(costs.map(({ r }) => r))}::int[],
          ${arrayLiteral(costs.map(({ nanos }) => nanos))}::numeric[],
          ${arrayLiteral(costs.map(({ byok }) => byok))}::boolean[]
        ) as c (r, nanos, byok)
      ), fitting as (
        select * from cost where exists (select 1 from locked) and not exists (
          select 1 from budget
          where spent_nanos + held_nanos + case when cost.byok and not include_byok then 0 else cost.nanos end > limit_nanos
        )
      ), together as (
        select sum(most.nanos) as nanos, sum(most.full_nanos) as full_nanos from (
          select coalesce(max(nanos) filter (where not byok), 0) as nanos, max(nanos) as full_nanos from cost group by r
        ) as most
      ), decided as (
        select case
          when (select is_stale from stale) then 'stale'
          when not exists (select 1 from locked) then 'missing'
          when not exists (select 1 from fitting) then 'denied'
          when ${requests.length}::int = 1 or not exists (
            select 1 from budget, together
            where spent_nanos + held_nanos + case when include_byok then full_nanos else nanos end > limit_nanos
          ) then 'held'
          else 'crowded'
        end as verdict
      ), amount as (
        select r, coalesce(max(nanos) filter (where not byok), 0) as nanos, max(nanos) as full_nanos
        from fitting where (select verdict from decided) = 'held' group by r
      ), held as (
        insert into gatewarden_hold (admission_id, account_id, held_at, expires_at, state, window_ids, nanos, full_nanos, budgets)
        select asked.admission_id, ${account_id}::uuid, ${now}, ${now} + asked.seconds * interval '1 second', 'open',
          (select array_agg(id order by n) from locked), amount.nanos, amount.full_nanos, ${kept(budgets, indices)}::jsonb
        from unnest(
          ${arrayLiteral(requests.map(({ admission_id }) => admission_id))}::text[],
          ${arrayLiteral(requests.map(({ hold_seconds }) => hold_seconds))}::int[]
        ) with ordinality as asked (admission_id, seconds, r) join amount on amount.r = asked.r
        order by asked.r
        returning admission_id, nanos, full_nanos, expires_at
      ), updated as (
        update gatewarden_budget_window w
        set held_nanos = w.held_nanos + a.nanos, full_held_nanos = w.full_held_nanos + a.full_nanos
        from (select sum(nanos) as nanos, sum(full_nanos) as full_nanos from amount having count(*) > 0) a, locked l
        where w.id = l.id
      ), due as (
        select budget.*, d.kind, d.place from budget cross join lateral (
          ${sql.literal(dueBySpending("budget"))}
          union all
          select 'denied', 9 where (select verdict from decided) = 'denied' and exists (
            select 1 from cost where budget.spent_nanos + budget.held_nanos
              + case when cost.byok and not budget.include_byok then 0 else cost.nanos end > budget.limit_nanos
          )
        ) d
        where (select verdict from decided) in ('held', 'denied')
      ), warned as (${recorded(account_id, workspace_id, now)})
      select verdict,
        (select json_agg(p order by p.n) from (
          select w.n, ${sql.literal(printedStart("w.window_start"))} as start, w.spent_nanos::text, w.byok_spent_nanos::text,
            w.held_nanos::text, w.full_held_nanos::text from locked w
        ) p) as windows,
        (select json_agg(json_build_object('nanos', nanos::text, 'full_nanos', full_nanos::text,
          'at', floor(extract(epoch from expires_at) * 1000)::bigint::text)
          order by array_position(${arrayLiteral(requests.map(({ admission_id }) => admission_id))}::text[], admission_id))
          from held) as holds,
        (select json_agg(p order by p.id) from (select id, ${sql.literal(warningColumns)} from warned) p) as warnings
      from decided`
    return Effect.map(statement, ([row]): Held | Undecided => {
      if (row === undefined || row.verdict === "missing") return "missing"
      if (row.verdict === "stale" || row.verdict === "crowded") return row.verdict
      return {
        outcomes: outcomesOf(budgets, requests.length, row),
        warnings: (row.warnings ?? []).map(warningOf)
      }
    })
  }
}
