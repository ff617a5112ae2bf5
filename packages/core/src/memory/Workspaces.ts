import type { Workspace } from "@gatewarden/contract"
import { Effect, Equal, Option } from "effect"
import { isLive } from "../access/liveKeys.ts"
import { type StoredWorkspace, Workspaces, shownWorkspace } from "../ports/workspaces.ts"
import { wakeDelivery } from "./tables/deliveryRows.ts"
import { forgetRecipients } from "./tables/recipientRows.ts"
import {
  type Owned,
  type Tables,
  deleteGuardrail,
  deleteKey,
  ownWorkspace,
  pageOf,
  withoutOwner
} from "./tables/Tables.ts"

export const workspaces = (tables: Tables) => {
  const shown = (row: Owned<StoredWorkspace>): Workspace =>
    shownWorkspace(
      withoutOwner<StoredWorkspace>(row),
      tables.destinations
        .ofAccount(row.account_id)
        .some(({ destination }) => destination.workspace_id === row.id && destination.enabled)
    )
  return Workspaces.of({
    find: (account_id, idOrSlug) =>
      Effect.sync(() => {
        const named = tables.workspaces.get(idOrSlug.toLowerCase())
        const found =
          named?.account_id === account_id
            ? named
            : tables.workspaces.ofAccount(account_id).find((row) => row.slug === idOrSlug)
        return Option.map(Option.fromUndefinedOr(found), shown)
      }),
    insert: (account_id, workspace) =>
      Effect.sync(() => {
        if (tables.workspaces.ofAccount(account_id).some((row) => row.slug === workspace.slug)) return false
        tables.workspaces.set(workspace.id, { ...workspace, account_id })
        return true
      }),
    list: (account_id, page) => Effect.sync(() => pageOf(tables.workspaces.ofAccount(account_id).map(shown), page)),
    update: (account_id, workspace_id, change, now) =>
      Effect.sync(() => {
        const current = tables.workspaces.get(workspace_id)
        if (current?.account_id !== account_id) return "missing"
        const others = tables.workspaces.ofAccount(account_id).filter(({ id }) => id !== workspace_id)
        if (others.some(({ slug }) => slug === change.slug)) return "slug_taken"
        const changed = { ...current, ...change }
        const next = Equal.equals(changed, current) ? current : { ...changed, updated_at: now }
        tables.workspaces.set(workspace_id, next)
        return shown(next)
      }),
    remove: (account_id, workspace_id, { force, now }) =>
      Effect.sync(() => {
        if (ownWorkspace(tables, account_id, workspace_id) === undefined) return "missing"
        const keys = tables.apiKeys.ofAccount(account_id).filter((key) => key.workspace_id === workspace_id)
        if (!force && keys.some((key) => isLive(key, now))) return "has_keys"
        for (const key of keys) deleteKey(tables, key.hash)
        for (const [id, row] of tables.guardrails) if (row.workspace_id === workspace_id) deleteGuardrail(tables, id)
        for (const rows of [tables.workspaceMembers, tables.workspaceBudgets, tables.groupMappings] as const)
          for (const [place, row] of rows) if (row.workspace_id === workspace_id) rows.delete(place)
        for (const [id, row] of tables.byokCredentials)
          if (row.workspace_id === workspace_id) tables.byokCredentials.delete(id)
        for (const [id, row] of tables.alertChannels)
          if (row.channel.workspace_id === workspace_id) tables.alertChannels.delete(id)
        forgetRecipients(tables, account_id)
        for (const [id, row] of tables.federationPolicies)
          if (row.workspace_id === workspace_id) tables.federationPolicies.delete(id)
        for (const [id, row] of tables.destinations)
          if (row.destination.workspace_id === workspace_id) {
            tables.destinations.delete(id)
            wakeDelivery(tables, id)
          }
        for (const [hash, grant] of tables.codeGrants)
          if (grant.workspace_id === workspace_id) tables.codeGrants.delete(hash)
        for (const [key, { preset }] of tables.presets)
          if (preset.workspace_id === workspace_id) tables.presets.delete(key)
        // Its files are hidden from now on, and swept with their contents.
        tables.workspaces.delete(workspace_id)
        return "removed"
      })
  })
}
