/**
 * Alerts as rows. What is due is claimed by one caller at a time, under an advisory lock, because quiet time compares a delivery with others
 * that are claimed; idle callers find out without the lock that nothing is due.
 */
import {
  type Alert,
  type AlertOutcome,
  type AlertLease,
  Alerts,
  type ListedAlert,
  type WantedAlerts,
  claimFairly,
  expiryDays,
  judgeDue,
  quietWaitSeconds,
  withoutShare
} from "@gatewarden/core/internal"
import { Effect } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { askedInstant, reading, retrying, writing } from "../statements/statements.ts"
import { readPage } from "../statements/readPage.ts"
import { type Columns, fromRow } from "../statements/rows.ts"
import { channelOf } from "./AlertChannels.ts"

/** Deliveries that are due of which a claim takes some. Those of accounts without a share, and of busy channels, are not among them. */
const mostCompared = 1_000

/** What a claim compares. */
interface WaitingRow {
  readonly alert_id: string
  readonly channel_id: string
  readonly account_id: string
  readonly is_mail: boolean
  readonly is_failing: boolean
}

interface DueRow {
  readonly alert_id: string
  readonly channel_id: string
  readonly type: string
  readonly subject: string
  readonly created: number
  readonly quiet_millis: number | null
  readonly enabled: boolean | null
  /** Of others alike within its quiet time: one arrived, and one is under way until then. */
  readonly told: boolean
  readonly telling_until: number | null
  readonly token: number
}

const iso = (column: string): string => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`
const millis = (column: string): string => `floor(extract(epoch from ${column}) * 1000)`

const listedOf = ({ account_id: _, crossing: __, ...columns }: Columns): ListedAlert => fromRow<ListedAlert>(columns)

/** As one text of JSON, so that every kind of delivery prints its times alike. */
const deliveriesOf = `coalesce((
  select json_agg(json_build_object(
    'channel_id', d.channel_id, 'status', d.status, 'attempts', d.attempts,
    'next_attempt_at', case when d.status = 'waiting' then ${iso("d.due_at")} end,
    'last_attempt_at', ${iso("d.last_at")}, 'last_status', d.last_status, 'last_message', d.last_message
  ) order by d.channel_id)
  from gatewarden_alert_delivery d where d.alert_id = held.id
), '[]'::json) as deliveries`

export const alerts = Effect.map(SqlClient.SqlClient, (sql) => {
  const at = (now: string | null) => sql`coalesce(${now}::timestamptz, clock_timestamp())`

  /** Workspaces with a channel that hears of a kind. */
  const hearing = (type: string) => sql`
    select distinct c.account_id, c.workspace_id from gatewarden_alert_channel c where c.enabled and ${type} = any (c.events)`

  const notices = sql`unnest(${[...expiryDays]}::int[]) as n (days)`

  /**
   * Keys of the workspace `w` of which an alert is due, at most so many of each number of days. Order and limit let PostgreSQL read no more
   * of the index. is true: the account is only compared.
   */
  const dueKeys = (ending: Statement.Fragment) => sql`${notices} cross join lateral (
    select k.* from gatewarden_api_key k
    where k.workspace_id = w.workspace_id and (k.account_id = w.account_id) is true and k.next_notice = n.days
      and not k.disabled and k.revoked_at is null
      and k.expires_at > clock.at and k.expires_at <= clock.at + n.days * 86400 * interval '1 second'
    order by k.workspace_id, k.next_notice, k.expires_at limit ${ending}
  ) k`

  /**
   * Accounts share a batch alike, so that none waits for the keys of another. The transaction that records an alert marks its key. A key
   * whose channel was disabled meanwhile stays due.
   */
  const detectKeys = (now: string | null, atMost: number) => sql<{ raised: number }>`
    with clock as materialized (select ${at(now)} as at), due as materialized (
      select w.account_id, array_agg(w.workspace_id) as workspaces
      from clock cross join (${hearing("key.expiring")}) w where exists (select from ${dueKeys(sql`1`)})
      group by w.account_id order by random()
    ), share as materialized (
      select greatest(1, ${atMost}::int / greatest(1, count(*)))::int as keys from due
    ), found as materialized (
      select k.* from clock cross join share cross join due cross join lateral (
        select k.account_id, k.workspace_id, k.hash, k.name, k.expires_at,
          gatewarden_expiry_notice(k.created_at, k.expires_at, clock.at) as days
        from (select due.account_id, named.workspace_id from unnest(due.workspaces) as named (workspace_id)) w
        cross join ${dueKeys(sql`share.keys for no key update skip locked`)} limit share.keys
      ) k limit ${atMost}::int
    ), recorded as materialized (
      select f.hash, f.days, gatewarden_raise_alert(
        f.account_id, f.workspace_id, 'key.expiring', f.hash, f.days || ':' || ${sql.literal(millis("f.expires_at"))}::bigint,
        json_build_object('key_hash', f.hash, 'key_name', f.name, 'expires_at', ${sql.literal(iso("f.expires_at"))}, 'days', f.days),
        clock.at
      ) as is_new from found f cross join clock
    ), marked as (
      update gatewarden_api_key k set next_notice = (select max(n.days) from ${notices} where n.days < r.days)
      from recorded r where r.is_new and k.hash = r.hash
    )
    select count(*) filter (where is_new)::int as raised from recorded`

  const facts = `'destination_id', f.id, 'destination_type', f.type, 'destination_name', f.name`

  const detectFailing = (now: string | null, atMost: number) => sql<{ raised: number }>`
    with clock as materialized (select ${at(now)} as at), found as materialized (
      select d.account_id, d.workspace_id, d.id, d.type, d.name, b.since as failing_since, s.last_status,
        ${sql.literal(millis("b.since"))}::bigint::text as crossing
      from clock cross join gatewarden_delivery_state s
      join gatewarden_destination d on d.id = s.destination_id and d.enabled
      cross join lateral (
        select gatewarden_dead_since(s.is_open, s.due_at, s.failing_since, s.refusals, s.refusing_since, clock.at) as since
      ) b
      -- The partial indexes, before the rule.
      where (s.failing_since is not null or s.refusing_since is not null) and b.since is not null
        and exists (
          select from gatewarden_alert_channel c
          where c.workspace_id = d.workspace_id and c.enabled and 'destination.failing' = any (c.events)
        ) and not exists (
          select from gatewarden_alert a
          where a.account_id = d.account_id and a.subject = d.id::text and a.type = 'destination.failing'
            and a.crossing = ${sql.literal(millis("b.since"))}::bigint::text
        )
      order by d.id limit ${atMost}::int
    )
    select count(*) filter (where gatewarden_raise_alert(
      f.account_id, f.workspace_id, 'destination.failing', f.id::text, f.crossing,
      json_build_object(${sql.literal(facts)}, 'failing_since', ${sql.literal(iso("f.failing_since"))}, 'last_status', f.last_status),
      clock.at
    ))::int as raised from found f cross join clock`

  const detectDead = (now: string | null, atMost: number) => sql<{ raised: number }>`
    with clock as materialized (select ${at(now)} as at), today as materialized (
      select at, date_trunc('day', at, 'UTC') as begin, to_char(at at time zone 'UTC', 'YYYY-MM-DD') as day from clock
    ), found as materialized (
      select d.account_id, d.workspace_id, d.id, d.type, d.name
      from today cross join (${hearing("destination.dead_letters")}) w
      join gatewarden_destination d on d.workspace_id = w.workspace_id and d.account_id = w.account_id
      where exists (
        select from gatewarden_dead_letter l where l.destination_id = d.id and l.died_at >= today.begin
      ) and not exists (
        select from gatewarden_alert a
        where a.account_id = d.account_id and a.subject = d.id::text and a.type = 'destination.dead_letters'
          and a.crossing = today.day
      )
      order by d.id limit ${atMost}::int
    )
    select count(*) filter (where gatewarden_raise_alert(
      f.account_id, f.workspace_id, 'destination.dead_letters', f.id::text, today.day,
      json_build_object(${sql.literal(facts)}, 'day', today.day), today.at
    ))::int as raised from found f cross join today`

  /** Each kind in a transaction of its own and up to its own bound: destinations do not wait for keys, not even if their statement fails. */
  const detect = Effect.fnUntraced(function* (atMost: number) {
    const now = yield* askedInstant
    let raised = 0
    for (const statement of [detectFailing, detectDead, detectKeys]) {
      const [row] = yield* statement(now, atMost).pipe(retrying, writing)
      raised += row?.raised ?? 0
    }
    return raised
  })

  const isAnyDue = (now: string | null) => sql<{ due: boolean }>`
    select exists (select from gatewarden_alert_delivery where status = 'waiting' and due_at <= ${at(now)}) as due`

  const waitingRows = (now: string | null, { well, failing, busy }: WantedAlerts) => {
    const [wellUsed, failingUsed] = [withoutShare(well), withoutShare(failing)]
    return sql<WaitingRow>`
      with due as materialized (
        select alert_id, channel_id, account_id, due_at from gatewarden_alert_delivery
        where status = 'waiting' and due_at <= ${at(now)}
          and channel_id <> all (${[...busy]}::uuid[])
          and (account_id <> all (${[...wellUsed, ...failingUsed]}::uuid[]) or case
            when channel_id in (select o.channel_id from gatewarden_alert_delivery o where o.status = 'waiting' and o.attempts > 0)
            then account_id <> all (${failingUsed}::uuid[]) else account_id <> all (${wellUsed}::uuid[]) end)
        order by due_at limit ${mostCompared}::int
      ), failing as materialized (
        select distinct o.channel_id from gatewarden_alert_delivery o
        where o.status = 'waiting' and o.attempts > 0 and o.channel_id in (select channel_id from due)
      )
      select d.alert_id, d.channel_id, d.account_id, coalesce(c.type = 'email', false) as is_mail, f.channel_id is not null as is_failing
      from due d left join gatewarden_alert_channel c on c.id = d.channel_id and c.account_id = d.account_id
      left join failing f on f.channel_id = d.channel_id
      order by d.due_at`
  }

  const dueRows = (now: string | null, claimed: readonly WaitingRow[]) => sql<DueRow>`
    with due as materialized (
      select d.* from unnest(${claimed.map(({ alert_id }) => alert_id)}::uuid[], ${claimed.map(({ channel_id }) => channel_id)}::uuid[])
        as named (alert_id, channel_id)
      join gatewarden_alert_delivery d on d.alert_id = named.alert_id and d.channel_id = named.channel_id
      where d.status = 'waiting' and d.due_at <= ${at(now)}
    )
    select d.alert_id, d.channel_id, d.type, d.subject, d.token::float8 as token,
      extract(epoch from d.created_at)::float8 * 1000 as created,
      c.enabled, c.quiet_time_seconds::float8 * 1000 as quiet_millis,
      coalesce(alike.told, false) as told, extract(epoch from alike.telling_until)::float8 as telling_until
    from due d left join gatewarden_alert_channel c on c.id = d.channel_id and c.account_id = d.account_id
    left join lateral (
      select bool_or(o.status = 'delivered') as told, max(o.due_at) filter (where o.status = 'waiting') as telling_until
      from gatewarden_alert_delivery o
      where d.token = 0 and o.channel_id = d.channel_id and o.type = d.type and o.subject = d.subject and o.token > 0
        and o.created_at > d.created_at - c.quiet_time_seconds * interval '1 second'
        and o.created_at < d.created_at + c.quiet_time_seconds * interval '1 second'
        and o.status in ('waiting', 'delivered') and o.alert_id <> d.alert_id
    ) alike on true
    order by d.due_at`

  /** Which of them are sent, and what becomes of the others. Of two in one batch the second waits for the outcome of the first. */
  const judge = (rows: readonly DueRow[]) => {
    const sent: DueRow[] = []
    const ended: { readonly row: DueRow; readonly status: "quiet" | "failed"; readonly message: string | null }[] = []
    const postponed: { readonly row: DueRow; readonly until: number | null }[] = []
    for (const row of rows) {
      const isAlikeSent = sent.some(
        (other) =>
          other.channel_id === row.channel_id &&
          other.type === row.type &&
          other.subject === row.subject &&
          Math.abs(other.created - row.created) < (row.quiet_millis ?? 0)
      )
      const isUnderWay = row.token === 0 && (isAlikeSent || row.telling_until !== null)
      const judged = judgeDue(row.enabled ?? undefined, { isTold: row.told, isUnderWay })
      if (judged.kind === "ended") ended.push({ row, status: judged.status, message: judged.message })
      else if (judged.kind === "postponed") postponed.push({ row, until: isAlikeSent ? null : row.telling_until })
      else sent.push(row)
    }
    return { sent, ended, postponed }
  }

  const turnsOf = (sent: readonly DueRow[], now: string | null, leaseSeconds: number) => sql<Columns>`
    with taken as (
      update gatewarden_alert_delivery d
      set token = d.token + 1, due_at = ${at(now)} + ${leaseSeconds}::float8 * interval '1 second'
      from unnest(${sent.map(({ alert_id }) => alert_id)}::uuid[], ${sent.map(({ channel_id }) => channel_id)}::uuid[])
        as named (alert_id, channel_id)
      where d.alert_id = named.alert_id and d.channel_id = named.channel_id
      returning d.alert_id, d.channel_id, d.token, d.attempts, d.created_at
    )
    select a.account_id, a.workspace_id, a.id, a.type, a.subject, a.data, a.created_at,
      t.token::float8 as token, t.attempts, extract(epoch from ${at(now)} - t.created_at)::float8 as age_seconds, t.channel_id
    from taken t join gatewarden_alert a on a.id = t.alert_id`

  const claim = Effect.fnUntraced(function* (wanted: WantedAlerts, leaseSeconds: number) {
    const now = yield* askedInstant
    yield* sql`select pg_advisory_xact_lock(hashtextextended('gatewarden_alert claim', 0))`
    for (;;) {
      const waiting = yield* waitingRows(now, wanted)
      const claimed = claimFairly(
        waiting.map((row) => ({ ...row, isMail: row.is_mail, isFailing: row.is_failing })),
        wanted
      )
      if (claimed.length === 0) return []
      const rows = yield* dueRows(now, claimed)
      const { sent, ended, postponed } = judge(rows)
      for (const { row, status, message } of ended)
        yield* sql`
          update gatewarden_alert_delivery set status = ${status}, last_message = ${message}
          where alert_id = ${row.alert_id}::uuid and channel_id = ${row.channel_id}::uuid`
      for (const { row, until } of postponed)
        yield* sql`
          update gatewarden_alert_delivery
          set due_at = greatest(
            coalesce(to_timestamp(${until}::float8), ${at(now)} + ${leaseSeconds}::float8 * interval '1 second'),
            ${at(now)} + ${quietWaitSeconds}::float8 * interval '1 second'
          )
          where alert_id = ${row.alert_id}::uuid and channel_id = ${row.channel_id}::uuid`
      // Silence is no work for the caller: it would take an empty answer for the end.
      if (sent.length === 0 && rows.length > 0) continue
      if (sent.length === 0) return []
      const taken = yield* turnsOf(sent, now, leaseSeconds)
      const channels = yield* sql<Columns>`
        select * from gatewarden_alert_channel where id = any (${[...new Set(sent.map((row) => row.channel_id))]}::uuid[])`
      const failing = new Set(claimed.flatMap((row) => (row.is_failing ? [row.channel_id] : [])))
      const byId = new Map(channels.map((row) => [row["id"], row]))
      return taken.flatMap(
        ({ account_id, token, attempts, age_seconds, channel_id, ...alert }): readonly AlertLease[] => {
          const row = byId.get(channel_id)
          if (row === undefined) return []
          return [
            {
              account_id: account_id as string,
              alert: fromRow<Alert>(alert),
              channel: { channel: channelOf(row), sealed_config: row["sealed_config"] as Uint8Array },
              token: Number(token),
              attempts: Number(attempts),
              is_failing: failing.has(channel_id as string),
              age_seconds: Number(age_seconds)
            }
          ]
        }
      )
    }
  })

  const acknowledge = Effect.fnUntraced(function* ({ alert, channel, token }: AlertLease, outcome: AlertOutcome) {
    const now = yield* askedInstant
    const channel_id = channel.channel.id
    const status = outcome.kind === "retry" ? "waiting" : outcome.kind
    const seconds = outcome.kind === "delivered" ? 0 : outcome.due_in_seconds
    const due = sql`${at(now)} + ${seconds}::float8 * interval '1 second'`
    const rows = yield* sql<{ readonly type: string; readonly subject: string }>`
      update gatewarden_alert_delivery set status = ${status}, attempts = attempts + 1, due_at = ${due}, last_at = ${at(now)},
        last_status = ${outcome.status}::int, last_message = ${outcome.message}::text
      where alert_id = ${alert.id}::uuid and channel_id = ${channel_id}::uuid and token = ${BigInt(token)}::bigint
        and status = 'waiting' returning type, subject`
    const [ended] = rows
    if (ended !== undefined && outcome.kind !== "retry")
      yield* sql`
        update gatewarden_alert_delivery set due_at = ${at(now)}
        where channel_id = ${channel_id}::uuid and type = ${ended.type} and subject = ${ended.subject}
          and status = 'waiting' and token = 0`
    // What else waits for the channel would meet the same.
    if (rows.length > 0 && outcome.kind === "retry")
      yield* sql`
        with others as (
          select ctid from gatewarden_alert_delivery
          where channel_id = ${channel_id}::uuid and status = 'waiting' and due_at <= ${at(now)}
          order by due_at for update skip locked
        )
        update gatewarden_alert_delivery set due_at = ${due} where ctid in (select ctid from others)`
    return rows.length > 0
  })

  return Alerts.of({
    list: (account_id, { workspace_id }, page) =>
      reading(
        readPage(
          sql,
          {
            table: "gatewarden_alert",
            id: "id",
            where: sql`account_id = ${account_id} and workspace_id = ${workspace_id}`,
            kept: { account_id, kind: "alert", owner: workspace_id }
          },
          page,
          listedOf,
          { columns: sql`, ${sql.literal(deliveriesOf)}`, join: sql`` }
        )
      ),
    detect,
    claim: (wanted, leaseSeconds) =>
      Effect.flatMap(askedInstant, isAnyDue).pipe(
        Effect.flatMap(([row]) =>
          row?.due === true ? sql.withTransaction(claim(wanted, leaseSeconds)) : Effect.succeed([])
        ),
        retrying,
        writing
      ),
    acknowledge: (turn, outcome) => acknowledge(turn, outcome).pipe(sql.withTransaction, retrying, writing)
  })
})
