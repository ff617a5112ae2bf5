import { alertChannelsPerWorkspace } from "@gatewarden/contract/internal"
import {
  type AlertChannelChange,
  AlertChannels,
  type ChannelFields,
  type ReplacedChannelConfig
} from "@gatewarden/core/store"
import { Effect, Option } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { acts } from "../statements/acting.ts"
import { lockWorkspace } from "../statements/lockWorkspace.ts"
import { readPage } from "../statements/readPage.ts"
import { type Columns, fromRow } from "../statements/rows.ts"
import { reading, writing } from "../statements/statements.ts"
import { notifyOfStanding } from "../statements/notifyOfStanding.ts"

export const channelOf = ({ account_id: _, sealed_config: __, ...columns }: Columns): ChannelFields =>
  fromRow<ChannelFields>(columns)

export const alertChannels = Effect.map(SqlClient.SqlClient, (sql) => {
  const own = (account_id: string, id: string) => sql`id = ${id} and account_id = ${account_id}`

  const insert = Effect.fnUntraced(function* (account_id: string, channel: ChannelFields, sealed_config: Uint8Array) {
    const { workspace_id } = channel
    if (!(yield* lockWorkspace(sql, account_id, workspace_id))) return "missing" as const
    const [row] = yield* sql`
      select count(*) as kept from gatewarden_alert_channel
      where workspace_id = ${workspace_id} and account_id = ${account_id}`
    if (Number(row?.["kept"]) >= alertChannelsPerWorkspace) return "full" as const
    yield* sql`${acts.insert} into gatewarden_alert_channel ${sql.insert({
      ...channel,
      account_id,
      sealed_config,
      config: JSON.stringify(channel.config)
    })}`
    yield* notifyOfStanding(sql, account_id, channel.id)
    return "inserted" as const
  })

  const rowOf = (account_id: string, id: string) =>
    Effect.map(sql<Columns>`select * from gatewarden_alert_channel where ${own(account_id, id)}`, ([row]) => row)

  const set = (name: string, value: Statement.Fragment) => ({
    set: sql`${sql(name)} = ${value}`,
    changes: sql`${sql(name)} is distinct from ${value}`
  })

  const settings = ({ events, ...fields }: AlertChannelChange, replaced: ReplacedChannelConfig | undefined) => {
    const config = replaced && JSON.stringify(replaced.config)
    return [
      ...Object.entries(fields).map(([name, value]) => set(name, sql`${value}`)),
      ...(events === undefined ? [] : [set("events", sql`${events}::text[]`)]),
      ...(replaced === undefined
        ? []
        : [
            { set: sql`config = ${config}::json`, changes: sql`config::text is distinct from ${config}::text` },
            set("sealed_config", sql`${replaced.sealed_config}`)
          ])
    ]
  }

  /** One statement: whether a config may take the place of another is decided on the row that is written. */
  const update = Effect.fnUntraced(function* (
    account_id: string,
    id: string,
    change: AlertChannelChange,
    replaced: ReplacedChannelConfig | undefined,
    now: string
  ) {
    const set = settings(change, replaced)
    if (set.length > 0) {
      const [row] = yield* sql<Columns>`
        ${acts.update} gatewarden_alert_channel set ${sql.csv(set.map((one) => one.set))},
          updated_at = case when ${sql.or(set.map(({ changes }) => changes))} then ${now}::timestamptz else updated_at end
        where ${own(account_id, id)}
          and ${replaced === undefined ? sql`true` : sql`sealed_config = ${replaced.replaces}`}
        returning *`
      if (row !== undefined) return channelOf(row)
    }
    const row = yield* rowOf(account_id, id)
    if (row === undefined) return "missing"
    return replaced === undefined ? channelOf(row) : "superseded"
  })

  return AlertChannels.of({
    insert: (account_id, channel, sealed_config) =>
      insert(account_id, channel, sealed_config).pipe(sql.withTransaction, writing),
    find: (account_id, id) =>
      reading(
        Effect.map(rowOf(account_id, id), (row) =>
          Option.map(Option.fromUndefinedOr(row), (row) => ({
            channel: channelOf(row),
            sealed_config: row["sealed_config"] as Uint8Array
          }))
        )
      ),
    list: (account_id, { workspace_id }, page) =>
      reading(
        readPage(
          sql,
          {
            table: "gatewarden_alert_channel",
            id: "id",
            long: ["config"],
            where: sql`account_id = ${account_id} and workspace_id = ${workspace_id}`,
            kept: { account_id, kind: "alert_channel", owner: workspace_id }
          },
          page,
          channelOf
        )
      ),
    update: (account_id, id, change, replaced, now) => writing(update(account_id, id, change, replaced, now)),
    remove: (account_id, id) =>
      writing(
        Effect.map(
          sql`${acts.delete} from gatewarden_alert_channel where ${own(account_id, id)} returning id`,
          (rows) => rows.length > 0
        )
      )
  })
})
