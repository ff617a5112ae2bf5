import { type Destination, destinationsPerType } from "@gatewarden/contract/internal"
import { Effect, Equal, Option } from "effect"
import { changedSince, Destinations } from "../ports/destinations.ts"
import { maxDestinationBytes, oversized } from "../ports/limits.ts"
import { sameBytes } from "../value/bytes.ts"
import { removeDeadLetters, wakeDelivery } from "./tables/deliveryRows.ts"
import { type Tables, byCreation, ownWorkspace, pageOf } from "./tables/Tables.ts"

export const destinations = (tables: Tables) => {
  const inWorkspace = (account_id: string, workspace_id: string) =>
    tables.destinations.ofAccount(account_id).filter((row) => row.destination.workspace_id === workspace_id)
  const own = (account_id: string, id: string) => {
    const row = tables.destinations.get(id)
    return row?.account_id === account_id ? row : undefined
  }
  return Destinations.of({
    insert: (account_id, destination, sealed_config) =>
      Effect.sync(() => {
        const { id, workspace_id, type } = destination
        if (ownWorkspace(tables, account_id, workspace_id) === undefined) return "missing"
        const ofType = inWorkspace(account_id, workspace_id).filter((row) => row.destination.type === type)
        if (ofType.length >= destinationsPerType) return "full"
        tables.destinations.set(id, { account_id, destination, sealed_config, receives_since: {}, replays: 0 })
        return "inserted"
      }),
    find: (account_id, id) =>
      Effect.sync(() =>
        Option.map(Option.fromUndefinedOr(own(account_id, id)), ({ destination, sealed_config, receives_since }) => ({
          destination,
          sealed_config,
          receives_since
        }))
      ),
    update: (account_id, id, change, replaced, now) =>
      Effect.sync(() => {
        const row = own(account_id, id)
        if (row === undefined) return "missing"
        if (replaced !== undefined && !sameBytes(replaced.replaces, row.sealed_config)) return "superseded"
        const { config = row.destination.config, sealed_config = row.sealed_config } = replaced ?? {}
        const changed = { ...row.destination, ...change, config } as Destination
        if (replaced === undefined && Equal.equals(changed, row.destination)) return row.destination
        const refused = oversized(row.destination, changed, maxDestinationBytes)
        if (refused !== undefined) return refused
        const destination = { ...changed, updated_at: now }
        const moves = replaced?.moves === true
        const receives_since = changedSince(row, change, moves, now)
        tables.destinations.set(id, { ...row, destination, sealed_config, receives_since })
        if (moves) removeDeadLetters(tables, id)
        wakeDelivery(tables, id)
        return destination
      }),
    receiving: (account_id, workspace_id) =>
      Effect.sync(() => {
        const workspace = ownWorkspace(tables, account_id, workspace_id)
        if (workspace === undefined || workspace.is_observability_broadcast_enabled === false) return []
        return inWorkspace(account_id, workspace_id)
          .map((row) => row.destination)
          .filter(({ enabled }) => enabled)
          .sort(byCreation)
      }),
    noteReplay: (account_id, id) =>
      Effect.sync(() => {
        const row = own(account_id, id)
        if (row === undefined) return false
        tables.destinations.set(id, { ...row, replays: row.replays + 1 })
        return true
      }),
    remove: (account_id, id) =>
      Effect.sync(() => {
        if (own(account_id, id) === undefined) return false
        tables.destinations.delete(id)
        wakeDelivery(tables, id)
        return true
      }),
    list: (account_id, { workspace_id }, page) =>
      Effect.sync(() =>
        pageOf<Destination>(
          inWorkspace(account_id, workspace_id).map((row) => row.destination),
          page
        )
      )
  })
}
