import {
  type Budget,
  type BudgetInterval,
  BudgetLedger,
  type BudgetState,
  type ChargedAmount,
  type HoldOutcome,
  type HoldRequest,
  type SettleOutcome,
  type Spender,
  spenderOf,
  type UsageEvent
} from "@gatewarden/core/effect"
import { Clock, Effect, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { arrayLiteral } from "./arrayLiteral.ts"
import { LedgerClock } from "./LedgerClock.ts"
import { chargedWindows, lockSpending } from "./spending.ts"
import { reading, writing } from "./statements.ts"
import { eventColumns, usageEventTable } from "./usageEventTable.ts"

/** A window by what it is of; budgets over the same spender and interval share one. */
interface WindowName {
  readonly spender: Spender
  readonly entity: string
  readonly interval: BudgetInterval
}

/** The distinct windows of budgets, and for each budget which of them is its own, from 1. */
const windowsOf = (budgets: readonly Budget[]) => {
  const names: WindowName[] = []
  const indices = budgets.map((budget) => {
    const spender = spenderOf(budget)
    const at = names.findIndex(
      (name) => name.spender === spender && name.entity === budget.entity && name.interval === budget.interval
    )
    return at === -1 ? names.push({ spender, entity: budget.entity, interval: budget.interval }) : at + 1
  })
  return { names, indices }
}

interface WindowRow {
  readonly n: number
  readonly id: bigint
  /** Epoch milliseconds as text; `null` for a lifetime. */
  readonly start: string | null
  readonly spent_nanos: string
  readonly byok_spent_nanos: string
  readonly held_nanos: string
  readonly full_held_nanos: string
}

const stateOf = (budget: Budget, row: WindowRow): BudgetState => ({
  budget,
  window_start: row.start === null ? null : Number(row.start),
  spent_nanos: BigInt(row.spent_nanos) + (budget.include_byok ? BigInt(row.byok_spent_nanos) : 0n),
  held_nanos: BigInt(budget.include_byok ? row.full_held_nanos : row.held_nanos)
})

/** A budget as it is kept with a hold: what settling it needs. `n` is its window among the hold's, from 1. */
interface KeptBudget extends Omit<Budget, "limit_nanos"> {
  readonly limit_nanos: string
  readonly n: number
}

/** A settlement as it is kept, so that settling again answers the same. */
interface KeptSettlement {
  readonly charges: readonly (Omit<KeptBudget, "n"> & {
    readonly window_start: number | null
    readonly nanos: string
    readonly overdraft_nanos: string
  })[]
  readonly overdraft_nanos: string
}

const outcomeOf = ({ charges, overdraft_nanos }: KeptSettlement): SettleOutcome => ({
  overdraft_nanos: BigInt(overdraft_nanos),
  charges: charges.map(
    ({ window_start, nanos, overdraft_nanos: overdraft, limit_nanos, ...budget }): ChargedAmount => ({
      budget: { ...budget, limit_nanos: BigInt(limit_nanos) },
      window_start,
      nanos: BigInt(nanos),
      overdraft_nanos: BigInt(overdraft)
    })
  )
})

const nothingCharged: KeptSettlement = { charges: [], overdraft_nanos: "0" }

/** A window of a hold after its event was charged. */
interface ChargedWindow {
  readonly id: string
  readonly start: string | null
  readonly spent: string
  readonly byok: string
}

/** What an event charged each budget of its hold, and which part of that lies above the limit. */
const settlementOf = (
  budgets: readonly KeptBudget[],
  window_ids: readonly bigint[],
  windows: readonly ChargedWindow[],
  { cost_nanos, byok_cost_nanos }: UsageEvent
): KeptSettlement => {
  const charges = budgets.flatMap(({ n, ...budget }) => {
    const window = windows.find(({ id }) => id === String(window_ids[n - 1]))
    if (window === undefined) return []
    const count = (spent: bigint, byok: bigint) => spent + (budget.include_byok ? byok : 0n)
    const nanos = count(cost_nanos, byok_cost_nanos)
    const above = count(BigInt(window.spent), BigInt(window.byok)) - BigInt(budget.limit_nanos)
    const overdraft = above <= 0n ? 0n : above < nanos ? above : nanos
    return [
      {
        ...budget,
        window_start: window.start === null ? null : Number(window.start),
        nanos: nanos.toString(),
        overdraft_nanos: overdraft.toString()
      }
    ]
  })
  const overdraft = charges.reduce((most, { overdraft_nanos }) => {
    const one = BigInt(overdraft_nanos)
    return one > most ? one : most
  }, 0n)
  return { charges, overdraft_nanos: overdraft.toString() }
}

type Instant = Statement.Fragment

/** Expired holds that are given back at a time. */
const sweptAtOnce = 500

export const budgetLedger = Effect.map(SqlClient.SqlClient, (sql) => {
  /** The instant by which windows and expiries are reckoned: the database's, so that all processes agree. */
  const clock = Effect.flatMap(LedgerClock, (kind) =>
    kind === "database"
      ? Effect.succeed(sql`now()`)
      : Effect.map(Clock.currentTimeMillis, (now) => sql`${new Date(now).toISOString()}::timestamptz`)
  )

  /** The windows that hold an instant. Days are reckoned in UTC whatever the session's time zone. */
  const wanted = (names: readonly WindowName[], now: Instant) => sql`
    select u.n::int as n, u.spender, u.entity, u.interval,
      case u.interval
        when 'daily' then date_trunc('day', ${now}, 'UTC')
        when 'weekly' then date_trunc('week', ${now}, 'UTC')
        when 'monthly' then date_trunc('month', ${now}, 'UTC')
        else '-infinity'::timestamptz
      end as window_start
    from unnest(
      ${arrayLiteral(names.map(({ spender }) => spender))}::text[],
      ${arrayLiteral(names.map(({ entity }) => entity))}::text[],
      ${arrayLiteral(names.map(({ interval }) => interval))}::text[]
    ) with ordinality as u (spender, entity, interval, n)`

  const isWanted = (account_id: string) => sql`
    w.account_id = ${account_id}::uuid and w.spender = wanted.spender and w.entity = wanted.entity
    and w.interval = wanted.interval and w.window_start = wanted.window_start`

  const printed = sql.literal(`
    case when isfinite(w.window_start) then (extract(epoch from w.window_start) * 1000)::bigint::text end as start,
    w.spent_nanos::text, w.byok_spent_nanos::text, w.held_nanos::text, w.full_held_nanos::text`)

  /**
   * One statement: locks the windows in one order, decides on what they hold when it has them, holds. Nothing is locked unless
   * every window is there and, if `swept` says so, no hold of the account has expired unseen.
   */
  const attempt = (account_id: string, request: HoldRequest, now: Instant, swept: boolean) => {
    const { names, indices } = windowsOf(request.budgets)
    const { budgets, costs } = request
    const kept = budgets.map(({ limit_nanos, ...budget }, index) => ({
      ...budget,
      limit_nanos: limit_nanos.toString(),
      n: indices[index]
    }))
    return Effect.map(
      sql<
        (WindowRow | { readonly n: null }) & {
          readonly is_stale: boolean
          readonly nanos: string | null
          readonly full_nanos: string | null
          readonly expires_at: Date | null
        }
      >`
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
          select b.limit_nanos, b.include_byok,
            case when b.include_byok then l.spent_nanos + l.byok_spent_nanos + l.full_held_nanos
              else l.spent_nanos + l.held_nanos end as used
          from unnest(
            ${arrayLiteral(indices)}::int[],
            ${arrayLiteral(budgets.map(({ limit_nanos }) => limit_nanos))}::numeric[],
            ${arrayLiteral(budgets.map(({ include_byok }) => include_byok))}::boolean[]
          ) as b (n, limit_nanos, include_byok) join locked l on l.n = b.n
        ), cost as (
          select * from unnest(
            ${arrayLiteral(costs.map(({ nanos }) => nanos))}::numeric[],
            ${arrayLiteral(costs.map(({ byok }) => byok))}::boolean[]
          ) as c (nanos, byok)
        ), fitting as (
          select * from cost where exists (select 1 from locked) and not exists (
            select 1 from budget
            where used + case when cost.byok and not include_byok then 0 else cost.nanos end > limit_nanos
          )
        ), amount as (
          select coalesce(max(nanos) filter (where not byok), 0) as nanos, max(nanos) as full_nanos
          from fitting having count(*) > 0
        ), held as (
          insert into gatewarden_hold (admission_id, account_id, held_at, expires_at, state, window_ids, nanos, full_nanos, budgets)
          select ${request.admission_id}, ${account_id}::uuid, ${now},
            ${now} + ${request.hold_seconds}::int * interval '1 second', 'open',
            (select array_agg(id order by n) from locked), amount.nanos, amount.full_nanos, ${JSON.stringify(kept)}::jsonb
          from amount
          returning expires_at
        ), updated as (
          update gatewarden_budget_window w
          set held_nanos = w.held_nanos + amount.nanos, full_held_nanos = w.full_held_nanos + amount.full_nanos
          from amount, locked l where w.id = l.id
        )
        select stale.is_stale, w.n, w.id, ${printed}, amount.nanos::text, amount.full_nanos::text, held.expires_at
        from stale left join locked w on true left join amount on true left join held on true order by w.n`,
      (all): HoldOutcome | "missing" | "stale" => {
        const rows = all.filter((row) => row.n !== null)
        const first = rows[0]
        if (first === undefined) return all[0]?.is_stale ? "stale" : "missing"
        const states = budgets.map((budget, index) => stateOf(budget, rows[(indices[index] ?? 0) - 1] ?? first))
        if (first.expires_at === null) return { held: false, states }
        const amount = { nanos: BigInt(first.nanos ?? 0), full: BigInt(first.full_nanos ?? 0) }
        return {
          held: true,
          states,
          holds: states.map(({ budget, window_start }) => ({
            budget,
            window_start,
            nanos: budget.include_byok ? amount.full : amount.nanos
          })),
          expires_at: first.expires_at.toISOString()
        }
      }
    )
  }

  /** Makes windows that start with what the recorded events have spent. */
  const open = Effect.fnUntraced(function* (account_id: string, names: readonly WindowName[], now: Instant) {
    yield* lockSpending(sql, account_id, "opening")
    yield* sql`
      with wanted as (${wanted(names, now)}),
      bounded as (
        select wanted.*, case wanted.interval
          when 'daily' then ((window_start at time zone 'UTC') + interval '1 day') at time zone 'UTC'
          when 'weekly' then ((window_start at time zone 'UTC') + interval '7 days') at time zone 'UTC'
          when 'monthly' then ((window_start at time zone 'UTC') + interval '1 month') at time zone 'UTC'
          else 'infinity'::timestamptz
        end as window_end from wanted
      )
      insert into gatewarden_budget_window
        (account_id, spender, entity, interval, window_start, window_end, spent_nanos, byok_spent_nanos, held_nanos, full_held_nanos)
      select ${account_id}::uuid, b.spender, b.entity, b.interval, b.window_start, b.window_end,
        coalesce(s.nanos, 0), coalesce(s.byok_nanos, 0), 0, 0
      from bounded b left join lateral (${spentIn(account_id)}) s on true
      order by b.n on conflict do nothing`
  }, sql.withTransaction)

  /** What the events of a window, `b`, come to. Few events are charged at another instant than their own. */
  const spentIn = (account_id: string) => sql`
    select sum(e.cost_nanos) as nanos, sum(e.byok_cost_nanos) as byok_nanos
    from (
      select * from gatewarden_usage_event
      where account_id = ${account_id}::uuid and charged_at is null
        and created_at >= b.window_start and created_at < b.window_end
      union all
      select * from gatewarden_usage_event
      where account_id = ${account_id}::uuid and charged_at >= b.window_start and charged_at < b.window_end
    ) e
    where case b.spender when 'key' then e.api_key_hash = b.entity when 'user' then e.user_id = b.entity
      else e.workspace_id::text = b.entity end`

  /** Gives back what expired holds of the account still hold; true when there were any. Holds that others settle are skipped. */
  const sweep = (account_id: string, now: Instant) =>
    Effect.map(
      sql<{ swept: bigint }>`
        with expired as (
          select admission_id, window_ids, nanos, full_nanos from gatewarden_hold
          where account_id = ${account_id}::uuid and state = 'open' and expires_at <= ${now}
          order by admission_id limit ${sweptAtOnce} for update skip locked
        ), freed as (
          select id, sum(nanos) as nanos, sum(full_nanos) as full_nanos
          from expired cross join unnest(window_ids) as id group by id
        ), locked as (
          select w.id from gatewarden_budget_window w where w.id in (select id from freed) order by w.id for update
        ), updated as (
          update gatewarden_budget_window w
          set held_nanos = w.held_nanos - freed.nanos, full_held_nanos = w.full_held_nanos - freed.full_nanos
          from freed, locked l where w.id = freed.id and l.id = freed.id
        ), closed as (
          update gatewarden_hold h set state = 'expired' from expired where h.admission_id = expired.admission_id
        )
        select count(*) as swept from expired`,
      ([row]) => (row?.swept ?? 0n) > 0n
    )

  const hold = Effect.fnUntraced(function* (account_id: string, request: HoldRequest) {
    const now = yield* clock
    const { names } = windowsOf(request.budgets)
    let swept = false
    for (;;) {
      const outcome = yield* attempt(account_id, request, now, swept)
      if (outcome === "missing") yield* open(account_id, names, now)
      // Until none is left but those that others are closing at this moment.
      else if (outcome === "stale") swept = !(yield* sweep(account_id, now))
      else return outcome
    }
  })

  const states = Effect.fnUntraced(function* (account_id: string, budgets: readonly Budget[]) {
    const now = yield* clock
    const { names, indices } = windowsOf(budgets)
    const rows = yield* sql<WindowRow>`
      with wanted as (${wanted(names, now)}),
      bounded as (
        select wanted.*, case wanted.interval
          when 'daily' then ((window_start at time zone 'UTC') + interval '1 day') at time zone 'UTC'
          when 'weekly' then ((window_start at time zone 'UTC') + interval '7 days') at time zone 'UTC'
          when 'monthly' then ((window_start at time zone 'UTC') + interval '1 month') at time zone 'UTC'
          else 'infinity'::timestamptz
        end as window_end from wanted
      ), w as (
        select b.n, coalesce(w.id, 0) as id, b.window_start,
          case when w.id is null then coalesce(s.nanos, 0) else w.spent_nanos end as spent_nanos,
          case when w.id is null then coalesce(s.byok_nanos, 0) else w.byok_spent_nanos end as byok_spent_nanos,
          coalesce(w.held_nanos - coalesce(x.nanos, 0), 0) as held_nanos,
          coalesce(w.full_held_nanos - coalesce(x.full_nanos, 0), 0) as full_held_nanos
        from bounded b
        left join gatewarden_budget_window w on w.account_id = ${account_id}::uuid and w.spender = b.spender
          and w.entity = b.entity and w.interval = b.interval and w.window_start = b.window_start
        left join lateral (${spentIn(account_id)}) s on w.id is null
        left join lateral (
          select sum(nanos) as nanos, sum(full_nanos) as full_nanos from gatewarden_hold h
          where h.account_id = ${account_id}::uuid and h.state = 'open' and h.expires_at <= ${now}
            and w.id = any(h.window_ids)
        ) x on true
      )
      select w.n, w.id, ${printed} from w order by w.n`
    return budgets.flatMap((budget, index) => {
      const row = rows[(indices[index] ?? 0) - 1]
      return row === undefined ? [] : [stateOf(budget, row)]
    })
  })

  const renew = Effect.fnUntraced(function* (account_id: string, admission_id: string, hold_seconds: number) {
    const now = yield* clock
    const rows = yield* sql<{ expires_at: Date }>`
      update gatewarden_hold set expires_at = ${now} + ${hold_seconds}::int * interval '1 second'
      where admission_id = ${admission_id} and account_id = ${account_id}::uuid and state = 'open' and expires_at > ${now}
      returning expires_at`
    return Option.map(Option.fromUndefinedOr(rows[0]), ({ expires_at }) => expires_at.toISOString())
  })

  const release = (account_id: string, admission_id: string) => sql`
    with closed as (
      update gatewarden_hold set state = 'released'
      where admission_id = ${admission_id} and account_id = ${account_id}::uuid and state = 'open'
      returning window_ids, nanos, full_nanos
    ), locked as (
      select w.id from gatewarden_budget_window w
      where w.id in (select unnest(window_ids) from closed) order by w.id for update
    )
    update gatewarden_budget_window w
    set held_nanos = w.held_nanos - closed.nanos, full_held_nanos = w.full_held_nanos - closed.full_nanos
    from closed, locked l where w.id = l.id`

  const { columns, table } = usageEventTable(sql)

  interface SettledRow {
    /** Before this settlement; `null`: nothing was ever held under this id. */
    readonly state: string | null
    readonly window_ids: readonly bigint[]
    readonly budgets: readonly KeptBudget[]
    readonly settlement: KeptSettlement | null
    readonly is_new: boolean
    readonly windows: readonly ChargedWindow[] | null
  }

  const record = (account_id: string, event: UsageEvent) => sql<SettledRow>`
    with hold as (
      select * from gatewarden_hold where admission_id = ${event.id} and account_id = ${account_id}::uuid for update
    ), added as (
      insert into gatewarden_usage_event (account_id, ${sql.literal(eventColumns)}, charged_at)
      select ${account_id}::uuid, ${columns}, (select held_at from hold) from ${table([event])}
      where not exists (select 1 from hold where state = 'settled')
      on conflict (account_id, id) do nothing
      returning classifiers, api_key_hash, user_id, workspace_id, cost_nanos, byok_cost_nanos,
        coalesce(charged_at, created_at) as at
    ), noted as (
      insert into gatewarden_usage_classifier (account_id, classifier_id)
      select distinct ${account_id}::uuid, jsonb_object_keys(classifiers) from added where classifiers is not null order by 2
      on conflict do nothing
    ), freed as (
      select unnest(window_ids) as id, nanos, full_nanos from hold where state = 'open'
    ), ${chargedWindows(sql, account_id, true)}, closed as (
      update gatewarden_hold h set state = 'settled' from hold where h.admission_id = hold.admission_id
    )
    select hold.state, hold.window_ids, hold.budgets, hold.settlement, exists (select 1 from added) as is_new,
      (select json_agg(json_build_object('id', c.id::text, 'spent', c.spent_nanos::text, 'byok', c.byok_spent_nanos::text,
        'start', case when isfinite(c.window_start) then (extract(epoch from c.window_start) * 1000)::bigint::text end))
        from charged c) as windows
    from (select 1) as one left join hold on true`

  const settle = Effect.fnUntraced(function* (account_id: string, event: UsageEvent) {
    yield* lockSpending(sql, account_id, "recording")
    const [row] = yield* record(account_id, event)
    if (row === undefined || row.state === null) return outcomeOf(nothingCharged)
    if (row.settlement !== null) return outcomeOf(row.settlement)
    const settlement = row.is_new ? settlementOf(row.budgets, row.window_ids, row.windows ?? [], event) : nothingCharged
    yield* sql`
      update gatewarden_hold set settlement = ${JSON.stringify(settlement)}::jsonb
      where admission_id = ${event.id} and account_id = ${account_id}::uuid`
    return outcomeOf(settlement)
  }, sql.withTransaction)

  return BudgetLedger.of({
    hold: (account_id, request) => writing(hold(account_id, request)),
    renew: (account_id, admission_id, hold_seconds) => writing(renew(account_id, admission_id, hold_seconds)),
    settle: (account_id, event) => writing(settle(account_id, event)),
    release: (account_id, admission_id) => writing(Effect.asVoid(release(account_id, admission_id))),
    states: (account_id, _workspace_id, budgets) => reading(states(account_id, budgets))
  })
})
