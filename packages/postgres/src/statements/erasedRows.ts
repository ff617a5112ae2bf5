/** Replaces the name of a person in tables of configuration, and what is about the person in the same row. Rule: access#erasures. */
import type { ErasureObstacle } from "@gatewarden/contract/internal"
import {
  type HistoryPlace,
  type NamedEvent,
  type Person,
  type PersonalTableName,
  type WalkedUsage,
  obstaclesOf,
  personalTableNames,
  personalTables,
  traceTags
} from "@gatewarden/core/internal"
import { Effect } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { acts } from "./acting.ts"
import { arrayLiteral } from "./literals.ts"
import { personalSources } from "./personColumns.ts"

export interface Replacing {
  readonly account_id: string
  readonly person: Person
  readonly pseudonym: string
}

/** A view has to name the table below it. */
const tableOf = (table: PersonalTableName): string =>
  table === "preset_version" ? "gatewarden_preset_version" : personalSources[table].from

/** What is removed with the name. Names of the directory are unique and not null, so they become the pseudonym. */
const besides: Partial<Readonly<Record<PersonalTableName, Readonly<Record<string, string | null>>>>> = {
  directory_user: { user_name: null, folded_name: null, external_id: "null", attributes: "'{}'" }
}

const eraseTable = (
  sql: SqlClient.SqlClient,
  table: PersonalTableName,
  { account_id, person: { kind, name }, pseudonym }: Replacing,
  atMost: number
): Effect.Effect<number, SqlError.SqlError> => {
  const { lists, ofWorkspaces } = personalSources[table]
  const fields: readonly string[] = personalTables[table][kind]
  // Without a field the condition would be empty, and hold for every row.
  if (fields.length === 0) return Effect.succeed(0)
  const place = sql.literal(personalTables[table].place)
  const target = sql.literal(tableOf(table))
  const named = fields.map((field) =>
    lists ? sql`${name}::text = any(${sql.literal(field)})` : sql`${sql.literal(field)} = ${name}::text`
  )
  const owned =
    table === "preset_version"
      ? sql`preset_id in (select id from gatewarden_preset where account_id = ${account_id}::uuid)`
      : ofWorkspaces
        ? sql`account_id = ${account_id}::uuid
            and workspace_id in (select id from gatewarden_workspace where account_id = ${account_id}::uuid)`
        : sql`account_id = ${account_id}::uuid`
  const values = [
    ...fields.map((field) => {
      const column = sql.literal(field)
      return lists
        ? sql`${column} = array_replace(${column}, ${name}::text, ${pseudonym}::text)`
        : sql`${column} = case when ${column} = ${name}::text then ${pseudonym}::text else ${column} end`
    }),
    ...Object.entries(besides[table] ?? {}).map(
      ([column, value]) =>
        sql`${sql.literal(column)} = ${value === null ? sql`${pseudonym}::text` : sql.literal(value)}`
    )
  ]
  return Effect.map(
    sql<{ changed: number }>`
      ${acts.with} due as materialized (
        select ${place} as place from ${target} where ${owned} and ${sql.or(named)}
        order by ${place} limit ${atMost}::int for update
      ), changed as (
        update ${target} set ${sql.csv(values)}
        where ${place} in (select place from due) and ${sql.or(named)} returning 1
      )
      select count(*)::int as changed from changed`,
    ([row]) => row?.changed ?? 0
  )
}

/** At most so many rows of each table; how many there were, by table. */
export const eraseConfiguration = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  replacing: Replacing,
  atMost: number
) {
  const counts: Record<string, number> = {}
  for (const table of personalTableNames) counts[table] = yield* eraseTable(sql, table, replacing, atMost)
  return counts
})

/** Walks usage for the events of a person, and replaces the name in them. Rule: access#erasures. */
const columnOf = { user: "user_id", external_user: "external_user" } as const

interface ExaminedRow {
  readonly id: string
  readonly created_at: Date
  readonly session_id: string | null
  readonly is_named: boolean
  readonly examined: number
}

/** The last of the stretch comes as well, named or not: there the next one begins. */
export const walkEvents = (
  sql: SqlClient.SqlClient,
  account_id: string,
  { kind, name }: Person,
  place: HistoryPlace | undefined,
  examined: number
) =>
  Effect.map(
    sql<ExaminedRow>`
      with stretch as materialized (
        select id, created_at, session_id, (${sql.literal(columnOf[kind])} = ${name}::text) is true as is_named
        from gatewarden_usage_event
        where account_id = ${account_id}::uuid
          ${place === undefined ? sql`` : sql`and (created_at, id) > (${new Date(place.created_at)}, ${place.id})`}
        order by created_at, id limit ${examined}::int
      ), counted as (
        select s.*, count(*) over ()::int as examined, row_number() over (order by created_at, id) as n from stretch s
      )
      select id, created_at, session_id, is_named, examined from counted where is_named or n = examined order by n`,
    (rows): WalkedUsage => {
      const last = rows.at(-1)
      return {
        events: rows.filter(({ is_named }) => is_named).map(({ id, session_id }) => ({ id, session_id })),
        last:
          last === undefined || last.examined < examined
            ? undefined
            : { created_at: last.created_at.toISOString(), id: last.id }
      }
    }
  )

/**
 * An event that was given another name since it was walked past stays as it is.
 *
 * Bodies move while this runs: a delivery makes them a dead letter, and a replay makes a dead letter's bodies wait in the stream again. The first
 * holds the event meanwhile, the second deletes the letter; each statement here waits for one of them, and the next one sees what it wrote.
 */
export const eraseEvents = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { account_id, person: { kind, name }, pseudonym }: Replacing,
  events: readonly NamedEvent[]
) {
  if (events.length === 0) return {}
  const ids = sql`${arrayLiteral(events.map(({ id }) => id))}::text[]`
  const column = sql.literal(columnOf[kind])
  const sessions = JSON.stringify(Object.fromEntries(events.map(({ id, session_id }) => [id, session_id])))
  // Without statistics, a join of the events with a list is every event of the account times the list.
  const [replaced] = yield* sql<Record<string, number>>`
    with due as materialized (
      select id, created_at from gatewarden_usage_events(${account_id}::uuid, ${ids}, null::gatewarden_usage_event, 'for no key update')
    ), replaced as (
      update gatewarden_usage_event e set ${column} = ${pseudonym}::text, session_id = ${sessions}::jsonb ->> e.id,
        trace = null, classifiers = nullif(e.classifiers - ${traceTags}::text, '{}')
      where e.account_id = ${account_id}::uuid and e.created_at = any (array(select created_at from due))
        and e.id = any (array(select id from due)) and e.${column} = ${name}::text returning 1
    ), contents as (
      delete from gatewarden_generation_content where account_id = ${account_id}::uuid and event_id = any (${ids}) returning 1
    ), feedback as (
      update gatewarden_generation_feedback set comment = null
      where account_id = ${account_id}::uuid and id = any (${ids}) and comment is not null returning 1
    )
    select (select count(*) from replaced)::int as usage_event, (select count(*) from contents)::int as generation_content,
      (select count(*) from feedback)::int as generation_feedback`
  const [letters] = yield* sql<Record<string, number>>`
    with letters as (
      update gatewarden_dead_letter set sealed_bodies = null
      where account_id = ${account_id}::uuid and event_id = any (${ids})
        and destination_id = any (array(select destination_id from gatewarden_delivery_state where account_id = ${account_id}::uuid))
      returning 1
    ) select count(*)::int as dead_letter from letters`
  const [deliveries] = yield* sql<Record<string, number>>`
    with deliveries as (
      update gatewarden_delivery set sealed_bodies = null
      where account_id = ${account_id}::uuid and event_id = any (${ids}) and sealed_bodies is not null returning 1
    ) select count(*)::int as delivery from deliveries`
  return { ...replaced, ...letters, ...deliveries }
})

type Counts = Readonly<Partial<Record<ErasureObstacle["kind"], number>>>

/** What could still act in the person's name, or is being recorded of it. Rule: access#erasures. */
export const findObstacles = (sql: SqlClient.SqlClient, account_id: string, { kind, name }: Person, now: string) => {
  const liveKeys = sql`account_id = ${account_id}::uuid and not disabled and (expires_at > ${now}::timestamptz) is not false`
  const found =
    kind === "external_user"
      ? sql<Counts>`
          select (select count(*) from gatewarden_api_key where ${liveKeys} and external_user = ${name}::text)::int as live_key,
            (select count(*) from gatewarden_hold where account_id = ${account_id}::uuid and state = 'open' and key_hash in (
              select hash from gatewarden_api_key where account_id = ${account_id}::uuid and external_user = ${name}::text
              union all
              select hash from gatewarden_deleted_key where account_id = ${account_id}::uuid and external_user = ${name}::text
            ))::int as open_hold,
            (select count(*) from gatewarden_usage_staging
              where account_id = ${account_id}::uuid and external_user = ${name}::text)::int as import`
      : sql<Counts>`
          select (
              select count(*) from gatewarden_api_key where ${liveKeys} and (user_id = ${name}::text or creator_user_id = ${name}::text)
            )::int as live_key, (
              select count(*) from gatewarden_workspace_member where account_id = ${account_id}::uuid and user_id = ${name}::text
            )::int as membership, (
              select count(*) from gatewarden_directory_user
              where account_id = ${account_id}::uuid and user_id = ${name}::text and active
            )::int as directory_user, (
              select count(*) from gatewarden_authorization_code
              where account_id = ${account_id}::uuid and user_id = ${name}::text and spent_at is null
                and expires_at > ${now}::timestamptz
            )::int as authorization_code, (
              select count(*) from gatewarden_federation_policy
              where workspace_id in (select id from gatewarden_workspace where account_id = ${account_id}::uuid)
                and account_id = ${account_id}::uuid and user_id = ${name}::text and not disabled
            )::int as federation_policy, (
              select count(*) from gatewarden_hold
              where account_id = ${account_id}::uuid and state = 'open' and (user_id = ${name}::text or member = ${name}::text)
            )::int as open_hold, (
              select count(*) from gatewarden_usage_staging where account_id = ${account_id}::uuid and user_id = ${name}::text
            )::int as import`
  return Effect.map(found, ([counts = {}]) => obstaclesOf(counts))
}
