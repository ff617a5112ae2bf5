/**
 * Money on SQL. Every step is one statement, which takes its locks in one order: a hold's row before windows, windows by id.
 *
 * What is interrupted half-way is undone by the database. A step whose outcome nobody heard of is asked for again where that is
 * harmless (settling, renewing and giving back are), and given back where it is not.
 */
import {
  LedgerClock,
  BudgetLedger,
  BudgetWarningFeed,
  type BudgetWarning,
  type HoldOutcome,
  type HoldRequest,
  type SettleOutcome,
  type Spender,
  spenderOf,
  type UsageEvent
} from "@gatewarden/core/effect"
import { Clock, Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { budgetWarnings } from "./budgetWarnings.ts"
import { budgetWindows, type Instant, windowKey, type WindowName, windowsOf } from "./budgetWindows.ts"
import { coalesce } from "./coalesce.ts"
import { type Held, holdBudgets } from "./holdBudgets.ts"
import { settleEvents } from "./settleEvents.ts"
import { EnclosingTransaction, isRefused, reading, repeating, retrying, writing } from "./statements.ts"

/** Expired holds that are given back at a time. */
const sweptAtOnce = 500
/** A process forgets what is long over once in so many holds. */
const holdsPerClearance = 256

/** What was asked of one account. */
interface Asked {
  readonly account_id: string
  readonly request: HoldRequest
}

interface Reported {
  readonly account_id: string
  readonly event: UsageEvent
}

interface Missing {
  readonly account_id: string
  readonly names: readonly WindowName[]
  readonly now: Instant
}

const widest: readonly Spender[] = ["workspace", "user", "key"]

/**
 * Requests that share the widest window of theirs wait for each other's locks anyway. One that shares only a narrower one with
 * others goes apart from them, and waits in the database.
 */
const kindOf = (account_id: string, { budgets }: HoldRequest): string => {
  for (const spender of widest) {
    const budget = budgets.find((one) => spenderOf(one) === spender)
    if (budget !== undefined) return `${account_id} ${spender} ${budget.entity}`
  }
  return account_id
}

export const budgetLedger = Effect.map(SqlClient.SqlClient, (sql) => {
  const windows = budgetWindows(sql)
  const warnings = budgetWarnings(sql)
  const attempt = holdBudgets(sql)
  const settled = settleEvents(sql)

  /** The instant by which windows and expiries are reckoned; `null` is the database's, so that all processes agree. */
  const instant = Effect.flatMap(LedgerClock, (kind) =>
    kind === "database"
      ? Effect.succeed(null)
      : Effect.map(Clock.currentTimeMillis, (now) => new Date(now).toISOString())
  )
  const inSql = (now: string | null): Instant => (now === null ? sql`now()` : sql`${now}::timestamptz`)
  const clock = Effect.map(instant, inSql)

  const publish = (account_id: string, recorded: readonly BudgetWarning[]) =>
    recorded.length === 0 ? Effect.void : Effect.map(BudgetWarningFeed, (feed) => feed.publish(account_id, recorded))

  /** Gives back what expired holds of the account still hold; true when there were any. */
  const sweep = (account_id: string, now: Instant) =>
    Effect.map(
      sql<{ swept: number }>`select gatewarden_sweep_holds(${account_id}::uuid, ${now}, ${sweptAtOnce}::int) as swept`,
      ([row]) => (row?.swept ?? 0) > 0
    )

  /** Nobody records while windows are opened, so a process opens all that it misses of an account at once. */
  const opened = coalesce((all: readonly Missing[]) => {
    const names = new Map(all.flatMap((one) => one.names.map((name) => [windowKey(name), name] as const)))
    const [first] = all
    return Effect.as(
      first === undefined ? Effect.void : retrying(windows.open(first.account_id, [...names.values()], first.now)),
      all
    )
  }, isRefused)
  const open = (missing: Missing) =>
    Effect.flatMap(EnclosingTransaction, (enclosing) =>
      enclosing === undefined
        ? Effect.asVoid(opened(missing.account_id, missing))
        : windows.open(missing.account_id, missing.names, missing.now)
    )

  const holdTogether = Effect.fnUntraced(function* (all: readonly Asked[]) {
    const now = yield* instant
    const account_id = all[0]?.account_id ?? ""
    const requests = all.map(({ request }) => request)
    let swept = false
    for (;;) {
      const step = yield* retrying(attempt(account_id, requests, now, swept))
      if (step === "missing") {
        const budgets = requests.flatMap((request) => request.budgets)
        yield* open({ account_id, names: windowsOf(budgets).names, now: inSql(now) })
        // Until none is left but those that others are closing at this moment.
      } else if (step === "stale") swept = !(yield* retrying(sweep(account_id, inSql(now))))
      else {
        yield* publish(account_id, step.warnings)
        return step.outcomes
      }
    }
  })

  const released = (account_id: string, admission_id: string) =>
    sql`select gatewarden_release_hold(${account_id}::uuid, ${admission_id})`

  const release = (account_id: string, admission_id: string) =>
    writing(Effect.asVoid(repeating(released(account_id, admission_id))))

  const giveBack = ({ account_id, request }: Asked) => Effect.ignoreCause(release(account_id, request.admission_id))

  const together = coalesce(holdTogether, isRefused)

  const held = (outcome: Held | undefined): Effect.Effect<HoldOutcome> =>
    outcome === undefined || outcome === "taken"
      ? Effect.die(new Error("Something is or was held under this id already"))
      : Effect.succeed(outcome)

  let holds = 0
  const hold = Effect.fnUntraced(function* (account_id: string, request: HoldRequest) {
    const asked: Asked = { account_id, request }
    // Whoever is in a transaction of its own must not hold for others, nor they for it.
    if ((yield* EnclosingTransaction) !== undefined) return yield* held((yield* holdTogether([asked]))[0])
    const outcome = yield* Effect.onError(together(kindOf(account_id, request), asked), () => giveBack(asked))
    holds += 1
    if (holds % holdsPerClearance === 0) yield* Effect.ignoreCause(windows.clear(account_id, yield* clock))
    return yield* held(outcome)
  })

  const settleTogether = Effect.fnUntraced(function* (all: readonly Reported[]) {
    const now = yield* instant
    const account_id = all[0]?.account_id ?? ""
    const events = all.map(({ event }) => event)
    const { outcomes, warnings: recorded } = yield* repeating(settled(account_id, events, now))
    yield* publish(account_id, recorded)
    return outcomes
  })

  const settledTogether = coalesce(settleTogether, isRefused)

  const settle = Effect.fnUntraced(function* (account_id: string, event: UsageEvent) {
    const reported: Reported = { account_id, event }
    if ((yield* EnclosingTransaction) === undefined)
      return yield* settledTogether(`${account_id} ${event.workspace_id}`, reported)
    const [outcome] = yield* settleTogether([reported])
    return outcome as SettleOutcome
  })

  const renew = Effect.fnUntraced(function* (account_id: string, admission_id: string, hold_seconds: number) {
    const now = yield* clock
    const rows = yield* sql<{ expires_at: Date }>`
      update gatewarden_hold set expires_at = ${now} + ${hold_seconds}::int * interval '1 second'
      where admission_id = ${admission_id} and account_id = ${account_id}::uuid and state = 'open' and expires_at > ${now}
      returning expires_at`
    return Option.map(Option.fromUndefinedOr(rows[0]), ({ expires_at }) => expires_at.toISOString())
  })

  return BudgetLedger.of({
    hold: (account_id, request) => writing(hold(account_id, request)),
    renew: (account_id, admission_id, hold_seconds) =>
      writing(repeating(renew(account_id, admission_id, hold_seconds))),
    settle: (account_id, event) => writing(settle(account_id, event)),
    release,
    states: (account_id, _workspace_id, budgets) =>
      reading(Effect.flatMap(clock, (now) => windows.states(account_id, budgets, now))),
    warnings: (account_id, workspace_id, page) => reading(warnings.page(account_id, workspace_id, page))
  })
})
