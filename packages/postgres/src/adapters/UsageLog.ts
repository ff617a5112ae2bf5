import {
  type AccountEvents,
  Entropy,
  type KeyOwner,
  type Recorded,
  StoreUnavailable,
  type UsageEvent,
  UsageLog,
  adjustmentTo,
  compareText,
  withAdjustments
} from "@gatewarden/core/internal"
import { Effect, Semaphore, Stream } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { chargedWindows, enterSpending, spentByDay, whileRecording } from "../ledger/spending.ts"
import { arrayLiteral } from "../statements/literals.ts"
import { outgoingUsage } from "../statements/outgoingUsage.ts"
import { OneConnection, reading, staging, unhurried, writing } from "../statements/statements.ts"
import { stagedDeliveries, streamed, streamedFromStaging } from "../statements/streamedEvents.ts"
import { usageDays } from "../statements/usageDays.ts"
import { adjustmentsOf, eventOf, eventSelection } from "../statements/usageEventRows.ts"
import { eventColumns, usageEventTable } from "../statements/usageEventTable.ts"

/** Rows that are written in a few milliseconds. */
const shortStatement = 100

const none: Recorded = { accepted: 0, duplicates: 0 }

const summed = (all: readonly Recorded[]): Recorded => ({
  accepted: all.reduce((sum, { accepted }) => sum + accepted, 0),
  duplicates: all.reduce((sum, { duplicates }) => sum + duplicates, 0)
})

/** Each account once, in the order in which transactions lock accounts. */
const inOneOrder = (groups: readonly AccountEvents[]): readonly AccountEvents[] => {
  const byAccount = new Map<string, AccountEvents>()
  for (const group of groups) {
    if (group.events.length === 0) continue
    const known = byAccount.get(group.account_id)
    byAccount.set(group.account_id, known === undefined ? group : joined(known, group))
  }
  return [...byAccount.values()].sort((a, b) => compareText(a.account_id, b.account_id))
}

const joined = (some: AccountEvents, more: AccountEvents): AccountEvents => ({
  account_id: some.account_id,
  events: [...some.events, ...more.events],
  selected: new Map([...(some.selected ?? []), ...(more.selected ?? [])])
})

/** The requests of a group; what adjusts others is put aside. */
const requestsAmong = (group: AccountEvents, stated: Map<string, UsageEvent[]>): AccountEvents => {
  if (group.events.every(({ adjusts }) => adjusts === null)) return group
  const known = stated.get(group.account_id) ?? []
  stated.set(group.account_id, [...known, ...group.events.filter(({ adjusts }) => adjusts !== null)])
  return { ...group, events: group.events.filter(({ adjusts }) => adjusts === null) }
}

/** They are recorded within about two seconds, in which nobody else is served. */
const mostOnOneConnection = 10_000

/** After an hour without another line nobody waits for a batch any more. */
const abandonedAfter = "1 hour"

export const usageLog = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const into = sql.literal(`gatewarden_usage_event (account_id, ${eventColumns})`)
  const intoCharged = sql.literal(`gatewarden_usage_event (account_id, ${eventColumns}, charged_at)`)
  const columnList = sql.literal(eventColumns)
  const { columns: convertedList, named: namedList, table } = usageEventTable(sql)
  const days = usageDays(sql)

  /** What became of the events that were not there yet, for what else is to be done with them. */
  const added = sql.literal(
    `returning id, recorded_at, classifiers, trace, api_key_hash, user_id, workspace_id, cost_nanos, byok_cost_nanos,
      coalesce(charged_at, created_at) as at`
  )

  /**
   * CTEs that record the rows of `sent` whose ids are new, as `added`. Ids are entered in one order, so that two imports do not wait for each
   * other. Nobody else has the rows of a new id, so those of its event follow in any order. Compared as a value, which is looked up in a hash.
   */
  const recorded = (account_id: string, source: Statement.Fragment, isAdjusting = false) => sql`
      sent as materialized (
        select gatewarden_usage_key(${account_id}::uuid, source.id) as key, source.* from (${source}) as source
        where source.created_at >= (select gatewarden_usage_horizon())
      ), fresh as (
        insert into gatewarden_usage_id (created_at, key)
        select created_at, key from sent order by id
        on conflict (key) do nothing returning key
      ), added as (
        insert into ${isAdjusting ? intoCharged : into}
        select ${account_id}::uuid, ${columnList}${sql.literal(isAdjusting ? ", charged_at" : "")} from sent where (key in (select key from fresh)) is true
        ${added}
      )`

  /** The classifiers of what was added become active; in one order, so that two imports do not wait for each other. */
  const noted = (account_id: string) => sql`
    insert into gatewarden_usage_classifier (account_id, classifier_id)
    select distinct ${account_id}::uuid, jsonb_object_keys(classifiers) from added where classifiers is not null order by 2
    on conflict do nothing`

  /** Statements share connections, and a long one would keep those behind it waiting: a transaction has one for itself. */
  const alone = <A>(events: readonly UsageEvent[], statement: Effect.Effect<A, SqlError.SqlError>) =>
    events.length > shortStatement ? sql.withTransaction(statement) : statement

  /** An adjustment is charged when its request was. */
  const chargedAsRequest = (account_id: string) => sql`
    (
      select r.charged_at from gatewarden_usage_events(${account_id}::uuid, array[sent.adjusts], null::gatewarden_usage_event) r
    )`

  const insert = Effect.fnUntraced(function* ({ account_id, events, selected }: AccountEvents, isAdjusting = false) {
    const firsts = new Map<string, UsageEvent>()
    for (const event of events) if (!firsts.has(event.id)) firsts.set(event.id, event)
    // Rows are locked in one order, whatever order the events come in.
    const ordered = [...firsts.values()].sort((a, b) => compareText(a.id, b.id))
    if (ordered.length === 0) return { accepted: 0, duplicates: 0 }
    const written = sql<{ is_current: boolean; accepted: bigint }>`
      with entered as materialized (${enterSpending(sql, account_id)}),
      ${recorded(
        account_id,
        sql`
          select ${namedList}${isAdjusting ? sql`, ${chargedAsRequest(account_id)} as charged_at` : sql``}
          from ${table(ordered)} where (select is_current from entered)`,
        isAdjusting
      )}, noted as (${noted(account_id)}), ${spentByDay(sql)}, ${chargedWindows(sql, account_id)}${streamed(sql, account_id, [...firsts.values()], selected)}
      select is_current, (select count(*) from added) as accepted from entered`
    const { accepted } = yield* whileRecording(
      sql,
      account_id,
      Effect.map(written, ([row = { is_current: false, accepted: 0n }]) => row)
    )
    return { accepted: Number(accepted), duplicates: events.length - Number(accepted) }
  })

  const requestsOf = (account_id: string, ids: readonly string[]) =>
    Effect.map(
      sql`
        select ${sql.literal(eventSelection)}
        from gatewarden_usage_events(${account_id}::uuid, ${arrayLiteral(ids)}::text[], null::gatewarden_usage_event)
        where adjusts is null`.values,
      (rows) => rows.map(eventOf)
    )

  const recordedOf = (account_id: string, ids: readonly string[]) =>
    Effect.map(
      sql<{ id: string }>`
        select asked.id from unnest(${arrayLiteral(ids)}::text[]) as asked (id)
        join gatewarden_usage_id i on i.key = gatewarden_usage_key(${account_id}::uuid, asked.id)`,
      (rows) => new Set(rows.map(({ id }) => id))
    )

  /** One after the other in an account, so that each difference is that to what counts already. */
  const lockAdjusting = (account_id: string) =>
    sql`select pg_advisory_xact_lock(hashtextextended(${`gatewarden/adjusting/${account_id}`}, 0))`

  /** The adjustments of one account, under its lock. */
  const adjust = Effect.fnUntraced(function* (account_id: string, stated: readonly UsageEvent[]) {
    const seen = new Set(
      yield* recordedOf(
        account_id,
        stated.map(({ id }) => id)
      )
    )
    const counting = new Map<string, UsageEvent>()
    const requests = yield* requestsOf(account_id, [...new Set(stated.flatMap(({ adjusts }) => adjusts ?? []))])
    const adjustments = yield* adjustmentsOf(sql, account_id, requests)
    for (const request of requests)
      counting.set(request.id, withAdjustments(request, adjustments.get(request.id) ?? []))
    const events: UsageEvent[] = []
    for (const one of stated) {
      const current = counting.get(one.adjusts ?? "")
      if (current === undefined || seen.has(one.id)) continue
      seen.add(one.id)
      const adjustment = adjustmentTo(one, current)
      events.push(adjustment)
      counting.set(one.adjusts ?? "", withAdjustments(current, [adjustment]))
    }
    const { accepted } = yield* insert({ account_id, events }, true)
    return { accepted, duplicates: stated.length - accepted }
  })

  /** What a report adjusts follows its requests. The locks come first, as whoever adjusts waits for the windows of budgets under its own. */
  const adjusting = <R>(
    stated: ReadonlyMap<string, readonly UsageEvent[]>,
    requests: Effect.Effect<Recorded, SqlError.SqlError, R>
  ) => {
    const accounts = [...stated.keys()].sort(compareText)
    if (accounts.length === 0) return requests
    return Effect.gen(function* () {
      yield* Effect.forEach(accounts, lockAdjusting, { discard: true })
      const first = yield* requests
      return summed([
        first,
        ...(yield* Effect.forEach(accounts, (account_id) => adjust(account_id, stated.get(account_id) ?? [])))
      ])
    }).pipe(sql.withTransaction)
  }

  /** Opens a batch, and forgets those that nobody will finish. */
  const open = (batch_id: string) => sql`
    with abandoned as (
      delete from gatewarden_usage_batch where touched_at < now() - ${abandonedAfter}::interval returning id
    ), forgotten as (
      delete from gatewarden_usage_staging where batch_id in (select id from abandoned)
    )
    insert into gatewarden_usage_batch (id, touched_at) values (${batch_id}, now())`

  const stage = ({ account_id, events, selected }: AccountEvents, batch_id: string, first: number) => {
    const { columns, values, join } = stagedDeliveries(sql, events, selected, first)
    return sql`
      with batch as (update gatewarden_usage_batch set touched_at = now() where id = ${batch_id} returning id)
      insert into gatewarden_usage_staging (batch_id, position, account_id, ${columnList}${columns})
      select batch.id, ${first}::bigint + sent.position, ${account_id}::uuid, ${convertedList}${values}
      from batch cross join ${table(events)}${join}`
  }

  const insertAll = (groups: readonly AccountEvents[]) => {
    const inOrder = inOneOrder(groups)
    const [first] = inOrder
    if (first === undefined) return Effect.succeed(none)
    return days.opened(
      inOrder.flatMap(({ events }) => events),
      inOrder.length === 1
        ? insert(first)
        : Effect.map(Effect.forEach(inOrder, insert), summed).pipe(sql.withTransaction)
    )
  }

  /** A batch is locked before what is staged of it, as where it is forgotten. */
  const discard = (batch_id: string) =>
    sql`
      with batch as (delete from gatewarden_usage_batch where id = ${batch_id} returning id)
      delete from gatewarden_usage_staging where batch_id = (select id from batch)`

  const moveOf = Effect.fnUntraced(function* (account_id: string, batch_id: string) {
    const rows = yield* sql<{ staged: bigint; accepted: bigint; spent: string | null }>`
      with staged as (
        delete from gatewarden_usage_staging where batch_id = ${batch_id} and account_id = ${account_id} returning *
      ), firsts as (
        select distinct on (id) * from staged order by id, position
      ), ${recorded(account_id, sql`select ${columnList} from firsts`)}, noted as (${noted(account_id)}), ${spentByDay(sql)}, ${streamedFromStaging(sql)}
      select (select count(*) from staged) as staged, (select count(*) from added) as accepted,
        (select json_agg(json_build_array(spender, entity, day, spent::text, byok::text)) from spent_by_day)::text as spent`
    const { staged = 0n, accepted = 0n, spent = null } = rows[0] ?? {}
    return { account_id, spent, staged: Number(staged), accepted: Number(accepted) }
  })

  const charge = Effect.fnUntraced(function* (account_id: string, spent: string) {
    yield* sql`select gatewarden_enter_ledger(${account_id}::uuid)`
    yield* sql`
      with spent_by_day as (
        select s.sums ->> 0 as spender, s.sums ->> 1 as entity, (s.sums ->> 2)::timestamptz as day,
          (s.sums ->> 3)::numeric as spent, (s.sums ->> 4)::numeric as byok
        from json_array_elements(${spent}::json) as s (sums)
      ), ${chargedWindows(sql, account_id)}
      select`
  })

  /**
   * Accounts are locked in one order, as are the batches before what is staged of them. The events come first, which may take long, and
   * then what they charge: only this has the lock that whoever opens windows waits for, and everybody else in the account behind them. A
   * window that is opened in between has none of these events yet, and is charged.
   */
  const move = Effect.fnUntraced(function* (accounts: ReadonlySet<string>, batch_id: string, sent: number) {
    yield* sql`delete from gatewarden_usage_batch where id = ${batch_id}`
    const moved = yield* Effect.forEach([...accounts].sort(compareText), (account_id) => moveOf(account_id, batch_id))
    for (const { account_id, spent } of moved) if (spent !== null) yield* charge(account_id, spent)
    const staged = moved.reduce((sum, one) => sum + one.staged, 0)
    const accepted = moved.reduce((sum, one) => sum + one.accepted, 0)
    // A server that restarted has lost what was staged.
    if (staged !== sent) return yield* Effect.die(new StoreUnavailable({}))
    return { accepted, duplicates: sent - accepted }
  }, unhurried(sql))

  /**
   * The last chunk is held back until another follows: a request of one chunk needs no staging, and the single connection of the
   * embedded engine is free while the client is slow.
   */
  const isAlone = yield* OneConnection
  const moves = yield* Semaphore.make(1)
  /** Where there is one connection, whoever waits for it waits for one report at a time. */
  const moving = <A, E, R>(work: Effect.Effect<A, E, R>) => (isAlone ? moves.withPermits(1)(work) : work)

  const recordAll = Effect.fnUntraced(function* <E>(chunks: Stream.Stream<readonly AccountEvents[], E>) {
    const entropy = yield* Entropy
    const accounts = new Set<string>()
    let batch_id = ""
    const stated = new Map<string, UsageEvent[]>()
    let held: readonly AccountEvents[] = []
    let staged = 0
    let isOpen = false
    const put = Effect.suspend(() =>
      Effect.forEach(
        held,
        (group) => {
          const first = staged
          staged += group.events.length
          accounts.add(group.account_id)
          return group.events.length === 0
            ? Effect.void
            : staging(days.opened(group.events, alone(group.events, stage(group, batch_id, first))))
        },
        { discard: true }
      )
    )
    const finish = Effect.suspend((): Effect.Effect<Recorded> => {
      if (!isOpen) return writing(adjusting(stated, insertAll(held)))
      return Effect.andThen(
        put,
        Effect.suspend(() => moving(writing(adjusting(stated, move(accounts, batch_id, staged)))))
      )
    })
    return yield* Stream.runForEach(chunks, (chunk) =>
      Effect.gen(function* () {
        if (held.some(({ events }) => events.length > 0)) {
          if (!isOpen) {
            batch_id = entropy.uuid()
            yield* staging(unhurried(sql)(open(batch_id)))
            isOpen = true
          }
          yield* put
        }
        held = chunk.map((group) => requestsAmong(group, stated))
      })
    ).pipe(
      Effect.andThen(finish),
      Effect.onError(() => (isOpen ? Effect.ignoreCause(staging(unhurried(sql)(discard(batch_id)))) : Effect.void))
    )
  })

  return UsageLog.of({
    ...outgoingUsage(sql),
    ...(isAlone ? { mostOfReport: mostOnOneConnection } : {}),
    record: (account_id, chunks) => recordAll(Stream.map(chunks, (events) => [{ account_id, events }])),
    recordAll,
    recordedOf: (account_id, ids) => reading(recordedOf(account_id, ids)),
    requestsOf: (account_id, ids) =>
      reading(
        Effect.map(requestsOf(account_id, ids), (requests) => new Map(requests.map((event) => [event.id, event])))
      ),
    keysOf: (account_id, api_key_hashes) =>
      reading(
        Effect.map(
          sql<KeyOwner & { named: string }>`
            select asked.named, hash, account_id, workspace_id, user_id, external_user, name from (
              select hash as named, k.* from gatewarden_api_key k
              where hash = any(${arrayLiteral(api_key_hashes)}::text[])
              union all
              select s.secret_hash, k.* from gatewarden_key_secret s join gatewarden_api_key k on k.hash = s.key_hash
              where s.secret_hash = any(${arrayLiteral(api_key_hashes)}::text[]) and s.secret_hash <> s.key_hash
            ) asked
            where workspace_id is not null and account_id = coalesce(${account_id ?? null}::uuid, account_id)`,
          (rows) => new Map(rows.map(({ named, ...owner }) => [named, owner]))
        )
      )
  })
})
