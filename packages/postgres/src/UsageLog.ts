import {
  compareText,
  Entropy,
  type Recorded,
  StoreUnavailable,
  type UsageEvent,
  UsageLog
} from "@gatewarden/core/effect"
import { Effect, Stream } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { arrayLiteral } from "./arrayLiteral.ts"
import { chargedWindows, enterSpending, lockSpending, whileRecording } from "./spending.ts"
import { reading, staging, unhurried, writing } from "./statements.ts"
import { eventColumns, usageEventTable } from "./usageEventTable.ts"

/** Rows that are written in a few milliseconds. */
const shortStatement = 100

/** After an hour without another line nobody waits for a batch any more. */
const abandonedAfter = "1 hour"

export const usageLog = Effect.map(SqlClient.SqlClient, (sql) => {
  const into = sql.literal(`gatewarden_usage_event (account_id, ${eventColumns})`)
  const columnList = sql.literal(eventColumns)
  const { columns: convertedList, table } = usageEventTable(sql)

  /** What became of the events that were not there yet, for what else is to be done with them. */
  const added = sql.literal(
    "returning classifiers, api_key_hash, user_id, workspace_id, cost_nanos, byok_cost_nanos, created_at as at"
  )

  /** The classifiers of what was added become active; in one order, so that two imports do not wait for each other. */
  const noted = (account_id: string) => sql`
    insert into gatewarden_usage_classifier (account_id, classifier_id)
    select distinct ${account_id}::uuid, jsonb_object_keys(classifiers) from added where classifiers is not null order by 2
    on conflict do nothing`

  /** Statements share connections, and a long one would keep those behind it waiting: a transaction has one for itself. */
  const alone = <A>(events: readonly UsageEvent[], statement: Effect.Effect<A, SqlError.SqlError>) =>
    events.length > shortStatement ? sql.withTransaction(statement) : statement

  const insert = Effect.fnUntraced(function* (account_id: string, events: readonly UsageEvent[]) {
    const firsts = new Map<string, UsageEvent>()
    for (const event of events) if (!firsts.has(event.id)) firsts.set(event.id, event)
    // Rows are locked in one order, whatever order the events come in.
    const ordered = [...firsts.values()].sort((a, b) => compareText(a.id, b.id))
    if (ordered.length === 0) return { accepted: 0, duplicates: 0 }
    const written = sql<{ is_current: boolean; accepted: bigint }>`
      with entered as materialized (${enterSpending(sql, account_id)}),
      added as (
        insert into ${into}
        select ${account_id}::uuid, ${convertedList} from ${table(ordered)}
        where (select is_current from entered)
        on conflict (account_id, id) do nothing
        ${added}
      ), noted as (${noted(account_id)}), ${chargedWindows(sql, account_id)}
      select is_current, (select count(*) from added) as accepted from entered`
    const { accepted } = yield* whileRecording(
      sql,
      account_id,
      Effect.map(written, ([row = { is_current: false, accepted: 0n }]) => row)
    )
    return { accepted: Number(accepted), duplicates: events.length - Number(accepted) }
  })

  /** Opens a batch, and forgets those that nobody will finish. */
  const open = (batch_id: string) => sql`
    with abandoned as (
      delete from gatewarden_usage_batch where touched_at < now() - ${abandonedAfter}::interval returning id
    ), forgotten as (
      delete from gatewarden_usage_staging where batch_id in (select id from abandoned)
    )
    insert into gatewarden_usage_batch (id, touched_at) values (${batch_id}, now())`

  const stage = (account_id: string, batch_id: string, first: number, events: readonly UsageEvent[]) => sql`
    with batch as (update gatewarden_usage_batch set touched_at = now() where id = ${batch_id} returning id)
    insert into gatewarden_usage_staging (batch_id, position, account_id, ${columnList})
    select batch.id, ${first}::bigint + sent.position, ${account_id}::uuid, ${convertedList}
    from batch cross join ${table(events)}`

  /** A batch is locked before what is staged of it, as where it is forgotten. */
  const discard = (batch_id: string) =>
    sql`
      with batch as (delete from gatewarden_usage_batch where id = ${batch_id} returning id)
      delete from gatewarden_usage_staging where batch_id = (select id from batch)`

  const move = Effect.fnUntraced(function* (account_id: string, batch_id: string, sent: number) {
    yield* lockSpending(sql, account_id, "recording")
    const rows = yield* sql<{ staged: bigint; accepted: bigint }>`
      with batch as (
        delete from gatewarden_usage_batch where id = ${batch_id} returning id
      ), staged as (
        delete from gatewarden_usage_staging where batch_id = (select id from batch) returning *
      ), added as (
        insert into ${into}
        select account_id, ${columnList} from (select distinct on (id) * from staged order by id, position) as firsts
        on conflict (account_id, id) do nothing
        ${added}
      ), noted as (${noted(account_id)}), ${chargedWindows(sql, account_id)}
      select (select count(*) from staged) as staged, (select count(*) from added) as accepted`
    const { staged = 0n, accepted = 0n } = rows[0] ?? {}
    // A server that restarted has lost what was staged.
    if (Number(staged) !== sent) return yield* Effect.die(new StoreUnavailable({}))
    return { accepted: Number(accepted), duplicates: sent - Number(accepted) }
  }, unhurried(sql))

  return UsageLog.of({
    // The last chunk is held back until another follows: a request of one chunk needs no staging, and the single connection of
    // the embedded engine is free while the client is slow.
    record: Effect.fnUntraced(function* <E>(account_id: string, chunks: Stream.Stream<readonly UsageEvent[], E>) {
      const entropy = yield* Entropy
      let batch_id = ""
      let held: readonly UsageEvent[] = []
      let staged = 0
      let isOpen = false
      const put = Effect.suspend(() => {
        const first = staged
        staged += held.length
        return staging(alone(held, stage(account_id, batch_id, first, held)))
      })
      const finish = Effect.suspend((): Effect.Effect<Recorded> => {
        if (!isOpen) return writing(insert(account_id, held))
        return Effect.andThen(
          put,
          Effect.suspend(() => writing(move(account_id, batch_id, staged)))
        )
      })
      return yield* Stream.runForEach(chunks, (chunk) =>
        Effect.gen(function* () {
          if (held.length > 0) {
            if (!isOpen) {
              batch_id = entropy.uuid()
              yield* staging(unhurried(sql)(open(batch_id)))
              isOpen = true
            }
            yield* put
          }
          held = chunk
        })
      ).pipe(
        Effect.andThen(finish),
        Effect.onError(() => (isOpen ? Effect.ignoreCause(staging(unhurried(sql)(discard(batch_id)))) : Effect.void))
      )
    }),
    recordedOf: (account_id, ids) =>
      reading(
        Effect.map(
          sql<{ id: string }>`
            select id from gatewarden_usage_event
            where account_id = ${account_id} and id = any(${arrayLiteral(ids)}::text[])`,
          (rows) => new Set(rows.map(({ id }) => id))
        )
      ),
    workspacesOf: (account_id, api_key_hashes) =>
      reading(
        Effect.map(
          sql<{ hash: string; workspace_id: string }>`
            select hash, workspace_id from gatewarden_api_key
            where account_id = ${account_id} and hash = any(${arrayLiteral(api_key_hashes)}::text[])
              and workspace_id is not null`,
          (rows) => new Map(rows.map(({ hash, workspace_id }) => [hash, workspace_id]))
        )
      )
  })
})
