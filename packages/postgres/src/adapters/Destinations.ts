import { type Destination, destinationsPerType } from "@gatewarden/contract/internal"
import {
  changedSince,
  type DestinationChange,
  Destinations,
  type ReceivesSince,
  type ReplacedConfig,
  type StoredDestination,
  maxDestinationBytes,
  oversized
} from "@gatewarden/core/internal"
import { Effect, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { acts } from "../statements/acting.ts"
import { lockWorkspace } from "../statements/lockWorkspace.ts"
import { readPage } from "../statements/readPage.ts"
import { type Columns, timestampOf } from "../statements/rows.ts"
import { reading, writing } from "../statements/statements.ts"

/** Field by field, so that the ciphertext stays here. */
const destinationOf = (columns: Columns): Destination => {
  const row = columns as unknown as Destination
  return {
    id: row.id,
    workspace_id: row.workspace_id,
    type: row.type,
    name: row.name,
    enabled: row.enabled,
    privacy_mode: row.privacy_mode,
    sampling_rate: row.sampling_rate,
    api_key_hashes: row.api_key_hashes,
    filter_rules: row.filter_rules,
    broadcast_generation_cost: row.broadcast_generation_cost,
    broadcast_generation_identity: row.broadcast_generation_identity,
    broadcast_generation_request_context: row.broadcast_generation_request_context,
    regions: row.regions,
    config: row.config,
    created_at: timestampOf(columns["created_at"]),
    updated_at: timestampOf(columns["updated_at"])
  } as Destination
}

const storedOf = (row: Columns): StoredDestination => ({
  destination: destinationOf(row),
  sealed_config: row["sealed_config"] as Uint8Array,
  receives_since: row["receives_since"] as ReceivesSince
})

export const destinations = Effect.map(SqlClient.SqlClient, (sql) => {
  const insert = Effect.fnUntraced(function* (account_id: string, destination: Destination, sealed_config: Uint8Array) {
    const { workspace_id, type, config, filter_rules } = destination
    if (!(yield* lockWorkspace(sql, account_id, workspace_id))) return "missing" as const
    const rows = yield* sql`
      select count(*) as of_type from gatewarden_destination where workspace_id = ${workspace_id} and type = ${type}`
    if (Number(rows[0]?.["of_type"]) >= destinationsPerType) return "full" as const
    yield* sql`${acts.insert} into gatewarden_destination ${sql.insert({
      ...destination,
      account_id,
      sealed_config,
      config: JSON.stringify(config),
      filter_rules: filter_rules && JSON.stringify(filter_rules)
    })}`
    return "inserted" as const
  })

  const own = (account_id: string, id: string) => sql`id = ${id} and account_id = ${account_id}`

  const rowOf = (account_id: string, id: string) =>
    Effect.map(sql<Columns>`select * from gatewarden_destination where ${own(account_id, id)}`, ([row]) => row)

  /** A column that gets a value, and whether that changes it. */
  const set = (name: string, value: Statement.Fragment) => ({
    set: sql`${sql(name)} = ${value}`,
    changes: sql`${sql(name)} is distinct from ${value}`
  })

  /** A column of type `json`, which keeps the order of members and has no equality of its own. */
  const setDocument = (name: string, value: unknown) => {
    const text = value === null ? null : JSON.stringify(value)
    return { set: sql`${sql(name)} = ${text}::json`, changes: sql`${sql(name)}::text is distinct from ${text}::text` }
  }

  const settings = (
    { filter_rules, api_key_hashes, regions, ...fields }: DestinationChange,
    replaced: ReplacedConfig | undefined,
    since: ReceivesSince
  ) => [
    ...Object.entries(fields).map(([name, value]) => set(name, sql`${value}`)),
    ...(api_key_hashes === undefined ? [] : [set("api_key_hashes", sql`${api_key_hashes}::text[]`)]),
    ...(regions === undefined ? [] : [set("regions", sql`${regions}::text[]`)]),
    ...(filter_rules === undefined ? [] : [setDocument("filter_rules", filter_rules)]),
    ...(replaced === undefined
      ? []
      : [setDocument("config", replaced.config), set("sealed_config", sql`${replaced.sealed_config}`)]),
    setDocument("receives_since", since)
  ]

  /** One statement: whether a config may take the place of another is decided on the row that is written. */
  const update = Effect.fnUntraced(function* (
    account_id: string,
    id: string,
    change: DestinationChange,
    replaced: ReplacedConfig | undefined,
    since: ReceivesSince,
    now: string
  ) {
    const set = settings(change, replaced, since)
    if (set.length > 1) {
      const [row] = yield* sql<Columns>`
        ${acts.with} updated as (
          update gatewarden_destination set ${sql.csv(set.map((one) => one.set))},
            updated_at = case when ${sql.or(set.map(({ changes }) => changes))} then ${now}::timestamptz else updated_at end
          where ${own(account_id, id)}
            and ${replaced === undefined ? sql`true` : sql`sealed_config = ${replaced.replaces}`}
          returning *
        ), gone as (
          delete from gatewarden_dead_letter l using updated
          where l.destination_id = updated.id and ${replaced?.moves === true}::boolean
        )
        select * from updated`
      if (row !== undefined) return destinationOf(row)
    }
    const row = yield* rowOf(account_id, id)
    if (row === undefined) return "missing"
    return replaced === undefined ? destinationOf(row) : "superseded"
  })

  /** Holds the row until the transaction ends, so that what is measured is what the change is applied to. */
  const measured = Effect.fnUntraced(function* (
    account_id: string,
    id: string,
    change: DestinationChange,
    replaced: ReplacedConfig | undefined,
    now: string
  ) {
    const [row] = yield* sql<Columns>`
      select *, ${replaced === undefined ? sql`true` : sql`sealed_config = ${replaced.replaces}`} as is_read
      from gatewarden_destination where ${own(account_id, id)} for update`
    if (row === undefined) return { refused: "missing" as const }
    if (row["is_read"] !== true) return { refused: "superseded" as const }
    const stored = storedOf(row)
    const current = stored.destination
    return {
      refused: oversized(
        current,
        { ...current, ...change, config: replaced?.config ?? current.config },
        maxDestinationBytes
      ),
      since: changedSince(stored, change, replaced?.moves === true, now)
    }
  })

  return Destinations.of({
    insert: (account_id, destination, sealed_config) =>
      insert(account_id, destination, sealed_config).pipe(sql.withTransaction, writing),
    find: (account_id, id) =>
      reading(Effect.map(rowOf(account_id, id), (row) => Option.map(Option.fromUndefinedOr(row), storedOf))),
    receiving: (account_id, workspace_id) =>
      reading(
        Effect.map(
          sql<Columns>`
            select d.* from gatewarden_destination d join gatewarden_workspace w on w.id = d.workspace_id
            where d.account_id = ${account_id} and d.workspace_id = ${workspace_id} and d.enabled
              and w.is_observability_broadcast_enabled is not false
            order by d.created_at, d.id`,
          (rows) => rows.map(destinationOf)
        )
      ),
    update: (account_id, id, change, replaced, now) =>
      Effect.gen(function* () {
        const { refused, since } = yield* measured(account_id, id, change, replaced, now)
        return refused ?? (yield* update(account_id, id, change, replaced, since, now))
      }).pipe(sql.withTransaction, writing),
    noteReplay: (account_id, id) =>
      writing(
        Effect.map(
          sql`${acts.update} gatewarden_destination set replays = replays + 1 where ${own(account_id, id)} returning id`,
          (rows) => rows.length > 0
        )
      ),
    remove: (account_id, id) =>
      writing(
        Effect.map(
          sql`${acts.delete} from gatewarden_destination where ${own(account_id, id)} returning id`,
          (rows) => rows.length > 0
        )
      ),
    list: (account_id, { workspace_id }, page) =>
      reading(
        readPage(
          sql,
          {
            table: "gatewarden_destination",
            id: "id",
            long: ["api_key_hashes", "filter_rules", "config"],
            where: sql`account_id = ${account_id} and workspace_id = ${workspace_id}`,
            kept: { account_id, kind: "destination", owner: workspace_id }
          },
          page,
          destinationOf
        )
      )
  })
})
