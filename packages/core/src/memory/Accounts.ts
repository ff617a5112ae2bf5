import { Effect, Option } from "effect"
import { Accounts } from "../ports/accounts.ts"
import type { Tables } from "./tables/Tables.ts"

export const accounts = (tables: Tables) => {
  const named = (name: string) => tables.accounts.get(tables.accountIds.get(name) ?? "")
  return Accounts.of({
    findByName: (name) =>
      Effect.sync(() => {
        const found = named(name)
        if (found === undefined) return Option.none()
        const { default_workspace_id, ...account } = found
        return Option.some({
          ...account,
          default_workspace_id: tables.workspaces.has(default_workspace_id) ? default_workspace_id : null
        })
      }),
    defaultWorkspaces: (ids) =>
      Effect.sync(() => {
        const found = new Map<string, string | null>()
        for (const id of ids) {
          const workspace = tables.accounts.get(id)?.default_workspace_id
          if (workspace !== undefined) found.set(id, tables.workspaces.has(workspace) ? workspace : null)
        }
        return found
      }),
    setSuspended: (name, suspended_at) =>
      Effect.sync(() => {
        const found = named(name)
        if (found === undefined) return Option.none()
        const { default_workspace_id, ...account } = found
        const changed = {
          ...account,
          suspended_at: suspended_at === null ? null : (account.suspended_at ?? suspended_at)
        }
        tables.accounts.set(found.id, { ...changed, default_workspace_id })
        return Option.some(changed)
      }),
    list: Effect.sync(() => [...tables.accounts.values()].map(({ default_workspace_id: _, ...account }) => account)),
    create: (account, workspace, key) =>
      Effect.sync(() => {
        if (named(account.name) !== undefined) return false
        tables.accountIds.set(account.name, account.id)
        tables.accounts.set(account.id, { ...account, default_workspace_id: workspace.id })
        tables.workspaces.set(workspace.id, { ...workspace, account_id: account.id })
        if (key !== undefined) tables.apiKeys.set(key.hash, key)
        return true
      })
  })
}
