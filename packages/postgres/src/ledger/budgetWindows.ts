/** The windows of budgets: which window contains an instant, the spending that it starts with, and what is held in it. */
import type { BudgetInterval } from "@gatewarden/contract"
import { type Budget, type BudgetState, type Spender, spenderNameOf, spenderOf } from "@gatewarden/core/internal"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { arrayLiteral } from "../statements/literals.ts"
import { chargedIn } from "./keptSums.ts"
import { lockSpending } from "./spending.ts"

/** The spender and interval of a window; budgets of the same spender and interval share one. */
export interface WindowName {
  readonly spender: Spender
  readonly entity: string
  readonly interval: BudgetInterval
}

export type Instant = Statement.Fragment

/** Tells windows apart. */
export const windowKey = ({ spender, entity, interval }: WindowName): string => `${spender} ${interval} ${entity}`

/** The distinct windows of the budgets of a workspace's requests, and for each budget which of them is its own, from 1. */
export const windowsOf = (workspace_id: string, budgets: readonly Budget[]) => {
  const names: WindowName[] = []
  const placeOf = placesIn(names)
  const indices = budgets.map((budget) =>
    placeOf({
      spender: spenderOf(budget),
      entity: spenderNameOf(budget, workspace_id),
      interval: budget.interval
    })
  )
  return { names, indices }
}

/** Finds the place of a window among names, from 1; one that is not there yet is put behind them. */
const placesIn = (names: WindowName[]) => {
  const places = new Map(names.map((name, index) => [windowKey(name), index + 1]))
  return (name: WindowName): number => {
    const key = windowKey(name)
    const place = places.get(key) ?? names.push(name)
    places.set(key, place)
    return place
  }
}

export interface WindowRow {
  /** Epoch milliseconds as text; `null` for a lifetime. */
  readonly start: string | null
  readonly spent_nanos: string
  readonly byok_spent_nanos: string
  readonly held_nanos: string
  readonly full_held_nanos: string
}

export const stateOf = (budget: Budget, row: WindowRow): BudgetState => ({
  budget,
  window_start: row.start === null ? null : Number(row.start),
  spent_nanos: BigInt(row.spent_nanos) + (budget.include_byok ? BigInt(row.byok_spent_nanos) : 0n),
  held_nanos: BigInt(budget.include_byok ? row.full_held_nanos : row.held_nanos)
})

/** Epoch milliseconds of a window's start as text. */
export const printedStart = (column: string): string =>
  `case when isfinite(${column}) then (extract(epoch from ${column}) * 1000)::bigint::text end`

/** Whether a hold, `h`, is one of the spender of a window, `b`. */
const heldBy = {
  key: "h.key_hash = b.entity",
  user: "h.user_id = b.entity",
  workspace: "h.workspace_id::text = b.entity",
  workspace_user:
    "h.user_id = left(b.entity, greatest(length(b.entity) - 37, 0)) and h.workspace_id::text = right(b.entity, 36)"
} as const satisfies Record<Spender, string>

/** Windows that are opened in one transaction. */
const openedAtOnce = 16

export const budgetWindows = (sql: SqlClient.SqlClient) => {
  /** The windows that hold an instant. */
  const wanted = (names: readonly WindowName[], now: Instant) => sql`
    select u.n::int as n, u.spender, u.entity, u.interval, gatewarden_window_start(u.interval, ${now}) as window_start
    from unnest(
      ${arrayLiteral(names.map(({ spender }) => spender))}::text[],
      ${arrayLiteral(names.map(({ entity }) => entity))}::text[],
      ${arrayLiteral(names.map(({ interval }) => interval))}::text[]
    ) with ordinality as u (spender, entity, interval, n)`

  const bounded = sql.literal(
    "select wanted.*, gatewarden_window_end(wanted.interval, window_start) as window_end from wanted"
  )

  /**
   * What is held for the spender of a window, `b`: a hold counts in the windows of its spenders that have the
   * instant at which it was made. One branch for each spender, so that a key's are found by the index of keys.
   */
  const heldIn = (account_id: string, condition: Statement.Fragment) => {
    const branches = Object.entries(heldBy).map(
      ([spender, isTheirs]) => sql`
        select h.nanos, h.full_nanos, h.is_charged_on_expiry as is_charged from gatewarden_hold h
        where b.spender = ${spender} and h.account_id = ${account_id}::uuid and h.state = 'open'
          and ${sql.literal(isTheirs)}
          and h.held_at >= b.window_start and h.held_at < b.window_end and ${condition}`
    )
    const holds = branches.reduce((all, branch) => sql`${all} union all ${branch}`)
    return sql`
      select sum(h.nanos) as nanos, sum(h.full_nanos) as full_nanos, sum(h.nanos) filter (where h.is_charged) as charged,
        sum(h.full_nanos - h.nanos) filter (where h.is_charged) as byok_charged
      from (${holds}) h`
  }

  /** Makes windows that are missing, in one transaction; they start with what the recorded events have spent and what is held. */
  const openSome = Effect.fnUntraced(function* (account_id: string, names: readonly WindowName[], now: Instant) {
    yield* lockSpending(sql, account_id, "opening")
    yield* sql`
      with wanted as (${wanted(names, now)}), bounded as (${bounded}), missing as (
        select * from bounded b where not exists (
          select 1 from gatewarden_budget_window w where w.account_id = ${account_id}::uuid and w.spender = b.spender
            and w.entity = b.entity and w.window_end = b.window_end and w.interval = b.interval
        )
      ), counted as (
        insert into gatewarden_spending (account_id, opened)
        select ${account_id}::uuid, 1 where exists (select 1 from missing)
        on conflict (account_id) do update set opened = gatewarden_spending.opened + 1
      )
      insert into gatewarden_budget_window
        (account_id, spender, entity, interval, window_start, window_end, spent_nanos, byok_spent_nanos, held_nanos, full_held_nanos)
      select ${account_id}::uuid, b.spender, b.entity, b.interval, b.window_start, b.window_end,
        coalesce(s.nanos, 0), coalesce(s.byok_nanos, 0), coalesce(x.nanos, 0), coalesce(x.full_nanos, 0)
      from missing b left join lateral (${chargedIn(sql, account_id, "b")}) s on true left join lateral (${heldIn(account_id, sql`true`)}) x on true
      order by b.n on conflict do nothing`
  }, sql.withTransaction)

  /**
   * Makes the windows that are missing. Recording, holding and releasing in the account wait while a transaction of this does its work,
   * so each opens few.
   */
  const open = Effect.fnUntraced(function* (account_id: string, names: readonly WindowName[], now: Instant) {
    for (let first = 0; first < names.length; first += openedAtOnce)
      yield* openSome(account_id, names.slice(first, first + openedAtOnce), now)
  })

  const states = Effect.fnUntraced(function* (
    account_id: string,
    workspace_id: string,
    budgets: readonly Budget[],
    now: Instant
  ) {
    const { names, indices } = windowsOf(workspace_id, budgets)
    const rows = yield* sql<WindowRow>`
      with wanted as (${wanted(names, now)}), bounded as (${bounded}), w as (
        select b.n, b.window_start,
          coalesce(w.spent_nanos, s.nanos, 0) + coalesce(x.charged, 0) as spent_nanos,
          coalesce(w.byok_spent_nanos, s.byok_nanos, 0) + coalesce(x.byok_charged, 0) as byok_spent_nanos,
          coalesce(w.held_nanos, h.nanos, 0) - coalesce(x.nanos, 0) as held_nanos,
          coalesce(w.full_held_nanos, h.full_nanos, 0) - coalesce(x.full_nanos, 0) as full_held_nanos
        from bounded b
        left join gatewarden_budget_window w on w.account_id = ${account_id}::uuid and w.spender = b.spender
          and w.entity = b.entity and w.window_end = b.window_end and w.interval = b.interval
        left join lateral (${chargedIn(sql, account_id, "b")} and w.id is null) s on true
        left join lateral (${heldIn(account_id, sql`w.id is null`)}) h on true
        left join lateral (${heldIn(account_id, sql`h.expires_at <= ${now}`)}) x on true
      )
      select ${sql.literal(printedStart("w.window_start"))} as start, w.spent_nanos::text, w.byok_spent_nanos::text,
        w.held_nanos::text, w.full_held_nanos::text
      from w order by w.n`
    return budgets.flatMap((budget, index) => {
      const row = rows[(indices[index] ?? 0) - 1]
      return row === undefined ? [] : [stateOf(budget, row)]
    })
  })

  return { open, states }
}
