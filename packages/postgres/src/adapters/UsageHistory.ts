import {
  type EventFilter,
  type HistoryPlace,
  type RecordedUse,
  type UsageEvent,
  UsageHistory,
  bytesAtOnce,
  equalFields,
  eventsAtOnce,
  withAdjustments
} from "@gatewarden/core/internal"
import { Effect } from "effect"
import { AnalyticsSql } from "../statements/AnalyticsSql.ts"
import { arrayLiteral } from "../statements/literals.ts"
import { type Columns, fromRow } from "../statements/rows.ts"
import { reading } from "../statements/statements.ts"
import { adjustmentsOf, eventOf, eventSelection } from "../statements/usageEventRows.ts"

/** Amounts stay exact: the one converter would make numbers of them. */
const useOf = (row: Columns): RecordedUse => ({
  ...fromRow<RecordedUse>(row),
  cost_nanos: row["cost_nanos"] as bigint,
  byok_cost_nanos: row["byok_cost_nanos"] as bigint
})

type Adjustments = readonly UsageEvent[]

const costing = (use: RecordedUse, adjustments: Adjustments): RecordedUse =>
  adjustments.reduce(
    (sum, { cost_nanos, byok_cost_nanos }) => ({
      ...sum,
      cost_nanos: sum.cost_nanos + cost_nanos,
      byok_cost_nanos: sum.byok_cost_nanos + byok_cost_nanos
    }),
    use
  )

interface PlaceRow {
  readonly created_at: Date
  readonly id: string
}

const placeOf = ({ created_at, id }: PlaceRow): HistoryPlace => ({ created_at: created_at.toISOString(), id })

export const usageHistory = Effect.map(AnalyticsSql, (sql) => {
  /** Events of the range after a position: what an index in their order finds. */
  const inRange = (
    account_id: string,
    { start, end }: Pick<EventFilter, "start" | "end">,
    place: HistoryPlace | undefined
  ) => [
    sql`account_id = ${account_id}`,
    ...(start === undefined ? [] : [sql`created_at >= ${new Date(start)}`]),
    sql`created_at < ${new Date(end)}`,
    ...(place === undefined ? [] : [sql`(created_at, id) > (${new Date(place.created_at)}, ${place.id})`])
  ]

  /** The rest of a filter, as one condition. */
  const passing = ({ equal, workspaces, tag, apart }: EventFilter) => {
    const requests = apart === true ? sql`true` : sql`adjusts is null`
    const conditions = equalFields.flatMap((field) => {
      const value = equal[field]
      if (value === undefined) return []
      return [sql`${sql.literal(field)} = ${value}${sql.literal(field === "workspace_id" ? "::uuid" : "::text")}`]
    })
    if (workspaces !== undefined) conditions.push(sql`workspace_id = any(${arrayLiteral(workspaces)}::uuid[])`)
    if (tag !== undefined) {
      const { classifier, dimension, value } = tag
      conditions.push(
        dimension === undefined
          ? sql`classifiers ? ${classifier}::text`
          : value === undefined
            ? sql`classifiers -> ${classifier}::text ? ${dimension}::text`
            : sql`classifiers -> ${classifier}::text ->> ${dimension}::text = ${value}::text`
      )
    }
    return sql`coalesce(${sql.and([requests, ...conditions])}, false)`
  }

  /** Requests, each with what adjusts it. */
  const joining =
    <E extends Pick<UsageEvent, "id" | "created_at">>(
      account_id: string,
      joined: (request: E, adjustments: Adjustments) => E
    ) =>
    (requests: readonly E[]) =>
      Effect.map(adjustmentsOf(sql, account_id, requests), (found) =>
        requests.map((request) => joined(request, found.get(request.id) ?? []))
      )

  return UsageHistory.of({
    after: (account_id, { api_key_hash, ...range }, place, limit) => {
      const conditions = [
        ...inRange(account_id, range, place),
        sql`adjusts is null`,
        ...(api_key_hash === undefined ? [] : [sql`api_key_hash = ${api_key_hash}`])
      ]
      return reading(
        Effect.flatMap(
          sql`
            select id, created_at, workspace_id, api_key_hash, user_id, model, variant, provider, endpoint_tag,
              data_region, status, byok, cost_nanos, byok_cost_nanos
            from gatewarden_usage_event where ${sql.and(conditions)}
            order by created_at, id limit ${limit}`,
          (rows) => joining(account_id, costing)(rows.map(useOf))
        )
      )
    },
    // Rows are examined one by one until the page is full, and another one tells that it goes on.
    pageAfter: (account_id, filter, place, { limit, examined }) =>
      reading(
        Effect.gen(function* () {
          const inOrder = sql.and(inRange(account_id, filter, place))
          const [full, beyond] = yield* sql<PlaceRow>`
            select created_at, id from (
              select created_at, id, ${passing(filter)} as passes from gatewarden_usage_event
              where ${inOrder} order by created_at, id limit ${examined}
            ) found
            where passes order by created_at, id offset ${limit - 1} limit 2`
          if (full !== undefined && beyond !== undefined) return { last: placeOf(full), goesOn: true }
          const [last, more] = yield* sql<PlaceRow>`
            select created_at, id from gatewarden_usage_event
            where ${inOrder} order by created_at, id offset ${examined - 1} limit 2`
          return last !== undefined && more !== undefined
            ? { last: placeOf(last), goesOn: true }
            : { last: { created_at: filter.end, id: "" }, goesOn: false }
        })
      ),
    eventsBetween: (account_id, filter, place, last) =>
      reading(
        Effect.flatMap(
          sql`
            select ${sql.literal(eventSelection)} from (
              select *, sum(bytes) over (order by created_at, id) - bytes as bytes_before
              from (
                select *, coalesce(pg_column_size(classifiers), 0) + coalesce(pg_column_size(trace), 0) as bytes
                from gatewarden_usage_event
                where ${sql.and(inRange(account_id, filter, place))}
                  and (created_at, id) <= (${new Date(last.created_at)}, ${last.id}) and ${passing(filter)}
                order by created_at, id limit ${eventsAtOnce}
              ) found
            ) weighed
            where bytes_before < ${bytesAtOnce} order by created_at, id`.values,
          (rows) =>
            filter.apart === true
              ? Effect.succeed(rows.map(eventOf))
              : joining<UsageEvent>(account_id, withAdjustments)(rows.map(eventOf))
        )
      )
  })
})
