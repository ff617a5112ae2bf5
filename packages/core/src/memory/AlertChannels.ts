import { alertChannelsPerWorkspace } from "@gatewarden/contract/internal"
import { Clock, Effect, Equal, Option } from "effect"
import { AlertChannels, type ChannelFields } from "../ports/alerts.ts"
import { sameBytes } from "../value/bytes.ts"
import { notifyOfStanding } from "./tables/standingAlerts.ts"
import { forgetRecipients } from "./tables/recipientRows.ts"
import { type Tables, ownWorkspace, pageOf } from "./tables/Tables.ts"

export const alertChannels = (tables: Tables) => {
  const { alertChannels: rows } = tables
  const inWorkspace = (account_id: string, workspace_id: string) =>
    rows.ofAccount(account_id).filter((row) => row.channel.workspace_id === workspace_id)
  const own = (account_id: string, id: string) => {
    const row = rows.get(id)
    return row?.account_id === account_id ? row : undefined
  }
  return AlertChannels.of({
    insert: (account_id, channel, sealed_config) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const { id, workspace_id } = channel
        if (ownWorkspace(tables, account_id, workspace_id) === undefined) return "missing"
        if (inWorkspace(account_id, workspace_id).length >= alertChannelsPerWorkspace) return "full"
        rows.set(id, { account_id, channel, sealed_config })
        notifyOfStanding(tables, account_id, channel, now)
        return "inserted"
      }),
    find: (account_id, id) =>
      Effect.sync(() =>
        Option.map(Option.fromUndefinedOr(own(account_id, id)), ({ channel, sealed_config }) => ({
          channel,
          sealed_config
        }))
      ),
    list: (account_id, { workspace_id }, page) =>
      Effect.sync(() =>
        pageOf<ChannelFields>(
          inWorkspace(account_id, workspace_id).map((row) => row.channel),
          page
        )
      ),
    update: (account_id, id, change, replaced, now) =>
      Effect.sync(() => {
        const row = own(account_id, id)
        if (row === undefined) return "missing"
        if (replaced !== undefined && !sameBytes(replaced.replaces, row.sealed_config)) return "superseded"
        const { config = row.channel.config, sealed_config = row.sealed_config } = replaced ?? {}
        const changed = { ...row.channel, ...change, config } as ChannelFields
        if (replaced === undefined && Equal.equals(changed, row.channel)) return row.channel
        const channel = { ...changed, updated_at: now }
        rows.set(id, { account_id, channel, sealed_config })
        forgetRecipients(tables, account_id)
        return channel
      }),
    remove: (account_id, id) =>
      Effect.sync(() => {
        if (own(account_id, id) === undefined) return false
        rows.delete(id)
        forgetRecipients(tables, account_id)
        return true
      })
  })
}
