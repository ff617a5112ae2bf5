import { Effect, Option } from "effect"
import type { ApiKey } from "../access/ApiKey.ts"
import { ApiKeys } from "../access/ApiKeys.ts"
import { isLastManagementKey } from "../access/isLastManagementKey.ts"
import { isLive } from "../access/isLive.ts"
import { deleteKey, ownWorkspace, type Tables } from "./Tables.ts"

const byCreation = (a: ApiKey, b: ApiKey): number =>
  a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : a.hash < b.hash ? -1 : 1

export const apiKeys = (tables: Tables) => {
  const own = (account_id: string, hash: string) => {
    const key = tables.apiKeys.get(hash)
    return key?.account_id === account_id ? key : undefined
  }
  return ApiKeys.of({
    authenticate: (hash) =>
      Effect.sync(() => {
        const key = tables.apiKeys.get(hash)
        if (key === undefined) return Option.none()
        const workspace = tables.accounts.get(key.account_id)?.default_workspace_id ?? ""
        return Option.some({ ...key, default_workspace_id: tables.workspaces.has(workspace) ? workspace : null })
      }),
    insert: (key) =>
      Effect.sync(() => {
        if (tables.apiKeys.has(key.hash) || !tables.accounts.has(key.account_id)) return false
        if (key.workspace_id !== null && ownWorkspace(tables, key.account_id, key.workspace_id) === undefined)
          return false
        tables.apiKeys.set(key.hash, key)
        return true
      }),
    list: (account_id, { kind }) =>
      Effect.sync(() =>
        [...tables.apiKeys.values()]
          .filter((key) => key.account_id === account_id && (kind === undefined || key.kind === kind))
          .sort(byCreation)
      ),
    existing: (account_id, hashes, now) =>
      Effect.sync(() =>
        hashes.filter((hash) => {
          const key = own(account_id, hash)
          return key !== undefined && isLive(key, now)
        })
      ),
    retire: (account_id, hash, { now, at, successor, force }) =>
      Effect.sync(() => {
        const key = own(account_id, hash)
        if (key === undefined) return "absent"
        const all = [...tables.apiKeys.values()].filter((other) => other.account_id === account_id)
        if (successor === undefined && !force && isLastManagementKey(key, all, now)) return "last"
        const expires_at = key.expires_at !== null && key.expires_at < at ? key.expires_at : at
        tables.apiKeys.set(hash, { ...key, expires_at, updated_at: now })
        if (successor !== undefined) tables.apiKeys.set(successor.hash, successor)
        return "retired"
      }),
    remove: (account_id, hash) => Effect.sync(() => own(account_id, hash) !== undefined && deleteKey(tables, hash))
  })
}
