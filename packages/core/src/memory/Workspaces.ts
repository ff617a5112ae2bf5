import { Effect, Option } from "effect"
import { Workspaces } from "../workspace/Workspaces.ts"
import { deleteGuardrail, deleteKey, ownWorkspace, type Tables, withoutOwner } from "./tables/Tables.ts"

export const workspaces = (tables: Tables) =>
  Workspaces.of({
    find: (account_id, idOrSlug) =>
      Effect.sync(() => {
        const named = tables.workspaces.get(idOrSlug.toLowerCase())
        const found =
          named?.account_id === account_id
            ? named
            : tables.workspaces.ofAccount(account_id).find((row) => row.slug === idOrSlug)
        return Option.map(Option.fromUndefinedOr(found), withoutOwner)
      }),
    insert: (account_id, workspace) =>
      Effect.sync(() => {
        if (tables.workspaces.ofAccount(account_id).some((row) => row.slug === workspace.slug)) return false
        tables.workspaces.set(workspace.id, { ...workspace, account_id })
        return true
      }),
    remove: (account_id, workspace_id, { force }) =>
      Effect.sync(() => {
        if (ownWorkspace(tables, account_id, workspace_id) === undefined) return "missing"
        const keys = tables.apiKeys.ofAccount(account_id).filter((key) => key.workspace_id === workspace_id)
        if (keys.length > 0 && !force) return "has_keys"
        for (const key of keys) deleteKey(tables, key.hash)
        for (const [id, row] of tables.guardrails) if (row.workspace_id === workspace_id) deleteGuardrail(tables, id)
        for (const rows of [tables.workspaceMembers, tables.workspaceBudgets] as const)
          for (const [place, row] of rows) if (row.workspace_id === workspace_id) rows.delete(place)
        for (const [id, row] of tables.byokCredentials)
          if (row.workspace_id === workspace_id) tables.byokCredentials.delete(id)
        for (const [id, row] of tables.destinations)
          if (row.destination.workspace_id === workspace_id) tables.destinations.delete(id)
        for (const [hash, grant] of tables.codeGrants)
          if (grant.workspace_id === workspace_id) tables.codeGrants.delete(hash)
        for (const [key, { preset }] of tables.presets)
          if (preset.workspace_id === workspace_id) tables.presets.delete(key)
        // Its files are hidden from now on, and swept with their contents.
        tables.workspaces.delete(workspace_id)
        return "removed"
      })
  })
