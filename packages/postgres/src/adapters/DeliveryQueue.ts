import {
  type Acknowledgement,
  type BatchLimits,
  type DeliveryBacklog,
  DeliveryQueue,
  type DeliveryState,
  type DeliveryLease,
  type TurnEnd,
  type WaitingBatch,
  type WaitingEvent,
  type WantedSlots,
  refusalsUntilRefusing,
  withoutShare
} from "@gatewarden/core/internal"
import { Effect, Option } from "effect"
import { SqlClient } from "effect/sql"
import { eventsAfter } from "../functions/deliveries.ts"
import { askedInstant, reading, retrying, writing } from "../statements/statements.ts"
import { byteaLiteral } from "../statements/literals.ts"
import { type Values, eventOf, eventSelectionOf, eventWidth } from "../statements/usageEventRows.ts"

/** Rows that are looked at for one batch, at least and for each of its events: those of other destinations of the workspace lie between. */
const leastScanned = 1_000
const scannedForEvent = 2

/** Destinations that are due of which a claim takes some. Those of accounts without a share are not among them. */
const mostCompared = 1_000

/** Rows that `backlog` counts. */
const mostCounted = 100_000

/** Dead letters of a deleted destination that one release removes. */
const removedAtOnce = 1_000

const millis = (column: string): string => `floor(extract(epoch from ${column}) * 1000)::float8`

/** Positions are `<xact>:<seq>`. */
const partsOf = (position: string | null): readonly [xact: string, seq: string] => {
  const [xact = "0", seq = "0"] = position?.split(":") ?? []
  return [xact, seq]
}

/** Columns of a batch behind those of its event. */
const batchAt = eventWidth + 4

const waitingOf = (row: Values): WaitingEvent => ({
  event: eventOf(row),
  position: row[eventWidth] as string,
  waiting_since: row[eventWidth + 1] as number,
  api_key_name: row[eventWidth + 2] as string | null,
  sealed_bodies: row[eventWidth + 3] as Uint8Array | null
})

interface TurnRow {
  readonly destination_id: string
  readonly account_id: string
  readonly workspace_id: string
  readonly token: number
  readonly failures: number
  readonly failing_since: number | null
  readonly refusals: number
  readonly is_open: boolean
}

export const deliveryQueue = Effect.map(SqlClient.SqlClient, (sql) => {
  const at = (now: string | null) => sql`coalesce(${now}::timestamptz, clock_timestamp())`
  const own = ({ destination_id, token }: DeliveryLease) =>
    sql`s.destination_id = ${destination_id}::uuid and s.token = ${BigInt(token)}::bigint and s.lease_until is not null`

  /**
   * Rows that came with a copy of another database bear its transactions, which may be ahead of this one's: they would be read much later.
   * They get the present one, which keeps their order, and positions among them begin anew.
   */
  const adopt = sql`
    with ahead as (
      update gatewarden_delivery set xact = pg_current_xact_id()
      where xact >= pg_snapshot_xmax(pg_current_snapshot()) and xact <> pg_current_xact_id()
    )
    update gatewarden_delivery_state set xact = '0', seq = 0, head_xact = '0', head_seq = 0
    where head_xact >= pg_snapshot_xmax(pg_current_snapshot()) or xact >= pg_snapshot_xmax(pg_current_snapshot())`

  const isAhead = sql<{ ahead: boolean }>`
    select exists (select from gatewarden_delivery where xact >= pg_snapshot_xmax(pg_current_snapshot()))
      or exists (
        select from gatewarden_delivery_state
        where head_xact >= pg_snapshot_xmax(pg_current_snapshot()) or xact >= pg_snapshot_xmax(pg_current_snapshot())
      ) as ahead`

  /** Only rows of transactions below the horizon: none can be committed behind them (`committedFacts`). Locks come in one order. */
  const noticeRows = (xact: string, seq: string, limit: number, now: string | null) => sql<{
    last: string | null
    noticed: number
  }>`
    with facts as materialized (
      select f.xact, f.seq, f.events, f.account_id, f.workspace_id, f.destinations from gatewarden_delivery f
      where f.xact < pg_snapshot_xmin(pg_current_snapshot()) and (f.xact, f.seq) > (${xact}::text::xid8, ${seq}::text::bigint)
      order by f.xact, f.seq limit ${limit}::int
    ), named as materialized (
      select n.id, f.account_id, f.workspace_id, f.xact, f.seq, f.events from facts f cross join lateral unnest(f.destinations) n (id)
    ), heads as materialized (
      select distinct on (id) id, account_id, workspace_id, xact, seq from named order by id, xact desc, seq desc
    ), firsts as materialized (
      select distinct on (id) id, xact, seq - events as seq from named order by id, xact, seq
    ), marked as (
      insert into gatewarden_delivery_state as s
        (destination_id, account_id, workspace_id, xact, seq, head_xact, head_seq, due_at)
      select h.id, h.account_id, h.workspace_id, f.xact, f.seq, h.xact, h.seq, ${at(now)}
      from heads h join firsts f on f.id = h.id order by h.id
      on conflict (destination_id) do update
        set head_xact = excluded.head_xact, head_seq = excluded.head_seq, due_at = coalesce(s.due_at, excluded.due_at)
        where (s.head_xact, s.head_seq) < (excluded.head_xact, excluded.head_seq)
    )
    select (select xact::text || ':' || seq::text from facts order by xact desc, seq desc limit 1) as last,
      (select coalesce(sum(events), 0)::int from facts) as noticed`

  const notice = Effect.fnUntraced(function* (position: string | null, limit: number) {
    if (position === null && (yield* isAhead)[0]?.ahead === true) yield* sql.withTransaction(adopt)
    const [row] = yield* noticeRows(...partsOf(position), limit, yield* askedInstant)
    return { position: row?.last ?? position, noticed: row?.noticed ?? 0 }
  })

  const claimed = (isOpen: boolean, wanted: WantedSlots, now: string | null) => {
    const isFree = sql`s.is_open = ${isOpen} and s.due_at <= ${at(now)} and (s.lease_until is null or s.lease_until <= ${at(now)})`
    const holders = [...(wanted.ofHolders ?? [])]
    return sql`
      select s.destination_id from (
        select due.destination_id, due.due_at, row_number() over (partition by due.account_id order by due.due_at) as place,
          coalesce(holder.share, ${wanted.ofAccount ?? wanted.most}::int) as share
        from (
          select s.destination_id, s.account_id, s.due_at from gatewarden_delivery_state s
          where ${isFree} and s.account_id <> all (${withoutShare(wanted)}::uuid[])
          order by s.due_at limit ${Math.max(mostCompared, wanted.most)}::int
        ) due
        left join unnest(${holders.map(([account_id]) => account_id)}::uuid[], ${holders.map(([, share]) => share)}::int[])
          as holder (account_id, share) on holder.account_id = due.account_id
      ) due join gatewarden_delivery_state s on s.destination_id = due.destination_id
      where due.place <= due.share and ${isFree}
      order by due.place, due.due_at limit ${wanted.most}::int for update of s skip locked`
  }

  const read = Effect.fnUntraced(function* (turn: DeliveryLease, after: string | null, { events, bytes }: BatchLimits) {
    const [xact, seq] = partsOf(after)
    const scanned = Math.max(leastScanned, events * scannedForEvent)
    const begin = after === null ? sql`s.xact, s.seq` : sql`${xact}::text::xid8, ${seq}::text::bigint`
    const rows = yield* sql`
      with mine as materialized (
        select s.workspace_id, s.account_id, s.head_xact, s.head_seq, d.enabled is true
          and w.is_observability_broadcast_enabled is not false as receives, from_xact, from_seq
        from gatewarden_delivery_state s cross join lateral (select ${begin}) b (from_xact, from_seq)
        left join gatewarden_destination d on d.id = s.destination_id
        left join gatewarden_workspace w on w.id = s.workspace_id
        where ${own(turn)}
      ), counted as materialized (
        -- What lies before a row: so many events of the destination, and with its own so many bytes.
        select r.*, coalesce(sum(own_events) over before, 0) as place, coalesce(sum(size) over so_far, 0) as bytes
        from (
          select r.xact, r.seq, r.events, r.recorded_at, o.own_events, r.sealed_bodies is not null as has_bodies,
            case when o.own_events > 0 then coalesce(octet_length(r.sealed_bodies), 0) + r.event_bytes end as size
          from mine cross join lateral (
            select * from gatewarden_delivery r
            where r.workspace_id = mine.workspace_id and (r.xact, r.seq) > (mine.from_xact, mine.from_seq)
              and (r.xact, r.seq) <= (mine.head_xact, mine.head_seq)
            order by r.xact, r.seq limit ${scanned}::int
          ) r cross join lateral (
            select case when ${turn.destination_id}::uuid = any (r.destinations)
              then ${sql.literal(eventsAfter("r", "mine.from_xact", "mine.from_seq"))} else 0 end as own_events
          ) o
        ) r
        window before as (order by r.xact, r.seq rows between unbounded preceding and 1 preceding),
          so_far as (order by r.xact, r.seq rows unbounded preceding)
      ), taken as materialized (
        select * from counted where own_events > 0 and place < ${events}::int and (bytes <= ${bytes}::float8 or place = 0)
      ), batch as materialized (
        select r.xact, r.seq - r.events + e.n as seq, e.id, r.recorded_at, r.has_bodies, r.place + e.n - (r.events - r.own_events) as place
        from taken r
        -- offset 0: the ids of each row are looked up by its key, once it is taken.
        cross join lateral (
          select f.event_id || f.following_ids as ids from gatewarden_delivery f where f.xact = r.xact and f.seq = r.seq offset 0
        ) f cross join lateral unnest(f.ids) with ordinality e (id, n)
        where e.n > r.events - r.own_events
      ), found as materialized (
        select e.* from mine cross join lateral gatewarden_usage_events(
          mine.account_id, array(select id from batch where place <= ${events}::int), null::gatewarden_usage_event) e
      )
      select ${sql.literal(eventSelectionOf("e"))}, b.xact::text || ':' || b.seq::text,
        ${sql.literal(millis("b.recorded_at"))},
        (select k.name from gatewarden_api_key k where k.hash = e.api_key_hash and k.account_id = mine.account_id),
        case when b.has_bodies then (select r.sealed_bodies from gatewarden_delivery r where r.xact = b.xact and r.seq = b.seq) end,
        mine.receives, last.position
      from mine
      left join lateral (
        -- Where nothing of the destination is left up to the head, the head: rows that lay before it may be gone.
        select case when exists (select from batch where place > ${events}::int) or exists (
            select from counted where own_events > 0 and (place >= ${events}::int or bytes > ${bytes}::float8 and place > 0)
          ) then (
            select xact::text || ':' || seq::text from batch where place <= ${events}::int order by place desc limit 1
          ) when (select count(*) from counted) >= ${scanned}::int then (
            select xact::text || ':' || seq::text from counted order by xact desc, seq desc limit 1
          ) when (mine.head_xact, mine.head_seq) > (mine.from_xact, mine.from_seq) then
            mine.head_xact::text || ':' || mine.head_seq::text
          end as position
      ) last on true
      left join batch b on b.place <= ${events}::int
      left join found e on e.id = b.id
      order by b.place`.values
    const [first] = rows
    if (first === undefined) return Option.none<WaitingBatch>()
    const [receives, last] = first.slice(batchAt)
    const waiting: WaitingEvent[] = []
    // An event that was erased meanwhile is passed over.
    for (const row of rows) if (row[0] !== null) waiting.push(waitingOf(row))
    return Option.some<WaitingBatch>({ receives: receives === true, position: last as string | null, events: waiting })
  })

  const acknowledge = Effect.fnUntraced(function* (
    turn: DeliveryLease,
    { position, accepted, dead, answer, attempt }: Acknowledgement,
    leaseSeconds: number
  ) {
    const [xact, seq] = partsOf(position)
    const letters =
      dead.length === 0
        ? null
        : JSON.stringify(
            dead.map(({ sealed_bodies, ...letter }) => ({
              ...letter,
              sealed_bodies: sealed_bodies === null ? null : byteaLiteral(sealed_bodies)
            }))
          )
    const [row] = yield* sql<{ held: boolean }>`
      select gatewarden_acknowledge_delivery(
        ${turn.destination_id}::uuid, ${BigInt(turn.token)}::bigint, ${yield* askedInstant}::timestamptz, ${leaseSeconds}::float8,
        ${xact}::text::xid8, ${seq}::text::bigint, ${accepted}::bigint, ${letters}::json, ${answer !== undefined}::boolean,
        ${answer?.status ?? null}::int, ${answer?.message ?? null}::text,
        ${attempt === undefined ? null : JSON.stringify(attempt)}::json) as held`
    return row?.held ?? false
  })

  /** The state of a deleted destination goes with its last dead letters. */
  const remove = (turn: DeliveryLease) => sql<{ left: boolean }>`
    with gone as (
      select s.destination_id from gatewarden_delivery_state s
      where ${own(turn)} and (s.head_xact, s.head_seq) <= (s.xact, s.seq)
        and not exists (select from gatewarden_destination d where d.id = s.destination_id)
    ), letters as (
      delete from gatewarden_dead_letter where ctid = any (array(
        select l.ctid from gone join gatewarden_dead_letter l on l.destination_id = gone.destination_id
        limit ${removedAtOnce}::int
      )) returning 1
    ), attempts as (
      delete from gatewarden_delivery_attempt a using gone where a.destination_id = gone.destination_id
    ), removed as (
      delete from gatewarden_delivery_state s using gone
      where s.destination_id = gone.destination_id and (select count(*) from letters) < ${removedAtOnce}::int
      returning 1
    ) select exists (select from removed) as left`

  const release = Effect.fnUntraced(function* (turn: DeliveryLease, end: TurnEnd) {
    const now = yield* askedInstant
    const [removed] = yield* remove(turn)
    if (removed?.left === true) return true
    const rows =
      end.kind === "released"
        ? yield* sql`
            update gatewarden_delivery_state s set lease_until = null, due_at = case
                when not exists (select from gatewarden_destination d where d.id = s.destination_id)
                  or (s.head_xact, s.head_seq) > (s.xact, s.seq) then ${at(now)} end
            where ${own(turn)} returning 1 as one`
        : yield* sql`
            with failed as (
            update gatewarden_delivery_state s set lease_until = null, attempts = s.attempts + 1, failures = s.failures + 1, is_open = ${end.is_open},
              -- A change of the destination during the turn stands.
              due_at = case when s.due_at = '-infinity' then s.due_at else ${at(now)} + ${end.due_in_seconds}::float8 * interval '1 second' end,
              failing_since = coalesce(s.failing_since, ${at(now)}), last_at = ${at(now)},
              last_status = ${end.attempt.status}::int, last_message = ${end.attempt.message}::text
            where ${own(turn)} returning s.destination_id, s.account_id, s.attempts
            ) select gatewarden_note_attempt(
              f.destination_id, f.account_id, f.attempts - 1, ${at(now)}, ${JSON.stringify(end.attempt)}::json
            ) from failed f`
    return rows.length > 0
  })

  return DeliveryQueue.of({
    notice: (position, limit) => writing(retrying(notice(position, limit))),
    claim: (wanted, leaseSeconds) =>
      Effect.flatMap(
        askedInstant,
        (now) => sql<TurnRow>`
          with closed as materialized (${claimed(false, wanted.closed, now)}), open as materialized (${claimed(true, wanted.open, now)})
          update gatewarden_delivery_state s
          set token = s.token + 1, due_at = case when s.due_at = '-infinity' then ${at(now)} else s.due_at end,
            lease_until = ${at(now)} + ${leaseSeconds}::float8 * interval '1 second'
          from (select destination_id from closed union all select destination_id from open) free
          where s.destination_id = free.destination_id
          returning s.destination_id, s.account_id, s.workspace_id, s.token::float8 as token, s.failures,
            ${sql.literal(millis("s.failing_since"))} as failing_since, s.refusals, s.is_open`
      ).pipe(retrying, writing),
    read: (turn, after, limits) => reading(read(turn, after, limits)),
    acknowledge: (turn, acknowledgement, leaseSeconds) =>
      writing(retrying(acknowledge(turn, acknowledgement, leaseSeconds))),
    release: (turn, end) => writing(retrying(release(turn, end))),
    stateOf: (account_id, destination_id) =>
      reading(
        Effect.map(
          sql<DeliveryState>`
            select destination_id, account_id, workspace_id, delivered::float8 as delivered, dead::float8 as dead, failures,
              ${sql.literal(millis("failing_since"))} as failing_since, refusals, ${sql.literal(millis("refusing_since"))} as refusing_since,
              is_open, case when isfinite(due_at) then ${sql.literal(millis("due_at"))} when due_at is not null then 0 end as due_at,
              ${sql.literal(millis("last_at"))} as last_at, last_status, last_message,
              ${sql.literal(millis("delivered_at"))} as delivered_at
            from gatewarden_delivery_state where destination_id = ${destination_id}::uuid and account_id = ${account_id}::uuid`,
          ([row]) => Option.fromUndefinedOr(row)
        )
      ),
    backlog: Effect.flatMap(
      askedInstant,
      (now) => sql<DeliveryBacklog>`
        select (
            select least(coalesce(sum(events), 0), ${mostCounted}::int)::int
            from (select events from gatewarden_delivery limit ${mostCounted}::int) counted
          ) as waiting,
          (select ${sql.literal(millis("recorded_at"))} from gatewarden_delivery order by xact, seq limit 1) as oldest_at,
          coalesce((
            select json_agg(json_build_object(
                'type', t.type, 'waiting', t.waiting, 'failing', t.failing, 'open', t.open, 'refusing', t.refusing
              ) order by t.type)
            from (
              select d.type, count(s.due_at) as waiting, count(s.due_at) filter (where s.failures > 0) as failing,
                count(s.due_at) filter (where s.is_open) as open, count(*) filter (where s.refusals >= ${refusalsUntilRefusing}::int) as refusing
              from gatewarden_delivery_state s join gatewarden_destination d on d.id = s.destination_id
              where s.due_at is not null or s.refusing_since is not null and s.refusals >= ${refusalsUntilRefusing}::int group by d.type
            ) t
          ), '[]') as destinations,
          ${sql.literal(millis("clock.at"))} as now
        from (select ${at(now)} as at) clock`
    ).pipe(
      reading,
      Effect.map(([row]) => row ?? { waiting: 0, oldest_at: null, destinations: [], now: 0 })
    )
  })
})
