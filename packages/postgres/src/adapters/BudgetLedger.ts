/**
 * The budget ledger on SQL. Every step is one statement, which takes its locks in one order: a hold's row before windows, windows by id.
 *
 * PostgreSQL rolls an interrupted step back. If the outcome of a step is unknown, the ledger repeats it where that is idempotent (settling,
 * renewing, releasing), and releases the hold where it is not.
 */
import {
  BudgetLedger,
  type BudgetWarning,
  BudgetWarningFeed,
  type HoldOutcome,
  type HoldRequest,
  type SelectedEvent,
  type SettleOutcome,
  type UsageEvent,
  unpackSize
} from "@gatewarden/core/internal"
import { Effect, Option } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { budgetLists, budgetWarnings } from "../ledger/budgetLists.ts"
import { type Instant, type WindowName, budgetWindows, windowKey, windowsOf } from "../ledger/budgetWindows.ts"
import { type Held, holdBudgets } from "../ledger/holdBudgets.ts"
import { settleEvents } from "../ledger/settleEvents.ts"
import { fixedStatements } from "../statements/FixedStatements.ts"
import { usageDays } from "../statements/usageDays.ts"
import { type Turn, batched, batchedApart } from "../statements/coalesce.ts"
import {
  askedInstant,
  instantIn,
  reading,
  repeating,
  retrying,
  unlessEnclosed,
  writing
} from "../statements/statements.ts"

/** The most expired holds that one statement releases. */
const sweptAtOnce = 500

/** What was asked of one account. */
interface Asked {
  readonly account_id: string
  readonly request: HoldRequest
}

interface Reported {
  readonly account_id: string
  readonly event: UsageEvent
  readonly selected: SelectedEvent | undefined
}

interface Missing {
  readonly account_id: string
  readonly names: readonly WindowName[]
  readonly now: Instant
}

/**
 * How long a batch for a whole account waits for one lock. If another transaction locks a window for longer, such as one that a host leaves
 * open, the batch is divided by workspace, and only the workspaces that spend from that window wait.
 */
const patienceMillis = 100

/** How long a batch waits for one lock; `null`: as long as the session allows. */
const patienceOf = (turn: Turn): number | null => (turn === "together" ? patienceMillis : null)

export const budgetLedger = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { write } = yield* fixedStatements
  const windows = budgetWindows(sql)
  const warnings = budgetWarnings(sql)
  const lists = budgetLists(sql)
  const attempt = holdBudgets(write, lists)
  const settled = settleEvents(write, lists)

  const inSql = (now: string | null): Instant => (now === null ? sql`now()` : sql`${now}::timestamptz`)
  const clock = instantIn(sql)
  const days = usageDays(sql)

  const publish = (account_id: string, recorded: readonly BudgetWarning[]) =>
    recorded.length === 0 ? Effect.void : Effect.map(BudgetWarningFeed, (feed) => feed.publish(account_id, recorded))

  /** Gives back what expired holds of the account still hold; true when there were any. */
  const sweep = (account_id: string, now: Instant) =>
    Effect.map(
      sql<{ swept: number }>`select gatewarden_sweep_holds(${account_id}::uuid, ${now}, ${sweptAtOnce}::int) as swept`,
      ([row]) => (row?.swept ?? 0) > 0
    )

  /** Nobody records while windows are opened, so a process opens all that it misses of an account at once. */
  const open = batched((all: readonly Missing[]) => {
    const names = new Map(all.flatMap((one) => one.names.map((name) => [windowKey(name), name] as const)))
    const [first] = all
    return Effect.as(
      first === undefined ? Effect.void : retrying(windows.open(first.account_id, [...names.values()], first.now)),
      all
    )
  })

  const holdTogether = Effect.fnUntraced(function* (all: readonly Asked[], turn: Turn) {
    const now = yield* askedInstant
    const account_id = all[0]?.account_id ?? ""
    const requests = all.map(({ request }) => request)
    const waits = { millis: patienceOf(turn), isEnclosed: turn === "enclosed" }
    let swept = false
    for (;;) {
      const step = yield* retrying(attempt(account_id, requests, now, swept, waits))
      if (step === "missing") {
        const names = requests.flatMap(({ workspace_id, budgets }) => windowsOf(workspace_id, budgets).names)
        yield* open(account_id, { account_id, names, now: inSql(now) })
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

  /** A transaction around it gives back itself what was held. */
  const giveBack = ({ account_id, request }: Asked) =>
    unlessEnclosed(Effect.ignoreCause(release(account_id, request.admission_id)))

  const holdsTogether = batchedApart(holdTogether)

  const held = (outcome: Held | undefined): Effect.Effect<HoldOutcome> =>
    outcome === undefined || outcome === "taken"
      ? Effect.die(new Error("Something is or was held under this id already"))
      : Effect.succeed(outcome)

  const hold = Effect.fnUntraced(function* (account_id: string, request: HoldRequest) {
    const asked: Asked = { account_id, request }
    const outcome = yield* Effect.onError(holdsTogether(account_id, request.workspace_id, asked), () => giveBack(asked))
    return yield* held(outcome)
  })

  const settleTogether = Effect.fnUntraced(function* (all: readonly Reported[], turn: Turn) {
    const now = yield* askedInstant
    const account_id = all[0]?.account_id ?? ""
    const events = all.map(({ event }) => event)
    const selected = new Map(all.flatMap((one) => (one.selected === undefined ? [] : [[one.event, one.selected]])))
    const { outcomes, warnings: recorded } = yield* repeating(
      settled(account_id, events, selected, now, patienceOf(turn))
    )
    yield* publish(account_id, recorded)
    return outcomes
  })

  const settledTogether = batchedApart(settleTogether)

  const settle = (
    account_id: string,
    event: UsageEvent,
    selected?: SelectedEvent
  ): Effect.Effect<SettleOutcome, SqlError.SqlError> =>
    settledTogether(account_id, event.workspace_id, { account_id, event, selected })

  const renew = Effect.fnUntraced(function* (account_id: string, admission_id: string, hold_seconds: number) {
    const now = yield* clock
    const rows = yield* sql<{ expires_at: Date }>`
      update gatewarden_hold set expires_at = ${now} + ${hold_seconds}::int * interval '1 second'
      where admission_id = ${admission_id} and (account_id = ${account_id}::uuid) is true and state = 'open'
        and expires_at > ${now}
      returning expires_at`
    return Option.map(Option.fromUndefinedOr(rows[0]), ({ expires_at }) => expires_at.toISOString())
  })

  const heldUnder = (account_id: string, admission_id: string) =>
    Effect.map(
      sql<{ full_nanos: string; nanos: string | null; size: string | null }>`
        select full_nanos::text, nanos::text, size from gatewarden_hold
        where admission_id = ${admission_id} and (account_id = ${account_id}::uuid) is true
        union all
        select held_nanos::text, null, null
        from gatewarden_usage_events(${account_id}::uuid, array[${admission_id}::text], null::gatewarden_usage_event)
        where held_nanos is not null
        limit 1`,
      ([row]) =>
        Option.map(Option.fromUndefinedOr(row), ({ full_nanos, nanos, size }) => ({
          nanos: BigInt(full_nanos),
          shared_nanos: nanos === null ? undefined : BigInt(nanos),
          size: size === null ? undefined : unpackSize(size)
        }))
    )

  return BudgetLedger.of({
    heldUnder: (account_id, admission_id) => reading(heldUnder(account_id, admission_id)),
    hold: (account_id, request) => writing(hold(account_id, request)),
    renew: (account_id, admission_id, hold_seconds) =>
      writing(repeating(renew(account_id, admission_id, hold_seconds))),
    settle: (account_id, event, selected) => writing(days.opened([event], settle(account_id, event, selected))),
    release,
    states: (account_id, workspace_id, budgets) =>
      reading(Effect.flatMap(clock, (now) => windows.states(account_id, workspace_id, budgets, now))),
    warnings: (account_id, workspace_id, page) => reading(warnings.page(account_id, workspace_id, page))
  })
})
