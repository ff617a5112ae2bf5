import { Clock, Effect, Equal, Option } from "effect"
import { type ApiKey, ApiKeys, endlessOverlap } from "../ports/keys.ts"
import { isLastManagementKey } from "../key/managementKeys.ts"
import { formatInstant } from "../value/calendar.ts"
import { registerExternalUser } from "./ExternalUsers.ts"
import { type Tables, authenticatedKey, deleteKey, isInactiveUser, ownWorkspace } from "./tables/Tables.ts"

const byCreation = (a: ApiKey, b: ApiKey): number =>
  a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : a.hash < b.hash ? -1 : 1

export const apiKeys = (tables: Tables) => {
  const own = (account_id: string, hash: string) => {
    const key = tables.apiKeys.get(hash)
    return key?.account_id === account_id ? key : undefined
  }
  return ApiKeys.of({
    authenticate: (hash) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const key = tables.apiKeys.get(tables.keySecrets.keyOf(hash))
        if (key === undefined) return tables.deletedKeys.has(hash) ? "deleted" : "unknown"
        return authenticatedKey(tables, key, now)
      }),
    insert: (key, registration) =>
      Effect.sync(() => {
        if (tables.apiKeys.has(key.hash) || tables.keySecrets.has(key.hash)) return false
        if (!tables.accounts.has(key.account_id) || isInactiveUser(tables, key.account_id, key.user_id)) return false
        if (key.workspace_id !== null && ownWorkspace(tables, key.account_id, key.workspace_id) === undefined)
          return false
        tables.apiKeys.set(key.hash, key)
        if (registration !== undefined) registerExternalUser(tables, key.account_id, registration)
        return true
      }),
    list: (account_id, { kind, workspace_id, hashes, disabled }, page) =>
      Effect.sync(() =>
        tables.apiKeys
          .ofAccount(account_id)
          .filter(
            (key) =>
              (kind === undefined || key.kind === kind) &&
              (workspace_id === undefined || key.workspace_id === workspace_id) &&
              (hashes === undefined || hashes.includes(key.hash)) &&
              (disabled === undefined || key.disabled === disabled)
          )
          .sort(byCreation)
          .slice(page?.offset ?? 0, page === undefined ? undefined : page.offset + page.limit)
      ),
    listManagement: (account_id, { offset, limit }) =>
      Effect.sync(() => {
        const all = tables.apiKeys
          .ofAccount(account_id)
          .filter(({ kind }) => kind === "management")
          .sort(byCreation)
        return { data: all.slice(offset, offset + limit), total_count: all.length }
      }),
    update: (account_id, hash, change, now) =>
      Effect.sync(() => {
        const key = own(account_id, hash)
        if (key?.kind !== "normal") return Option.none()
        if (change.disabled === false && isInactiveUser(tables, account_id, key.user_id)) return Option.none()
        const changed = { ...key, ...change }
        const next = Equal.equals(changed, key) ? key : { ...changed, updated_at: now }
        tables.apiKeys.set(hash, next)
        return Option.some(next)
      }),
    retire: (account_id, hash, { now, at, successor, force }) =>
      Effect.sync(() => {
        const key = own(account_id, hash)
        if (key === undefined) return "absent"
        const all = tables.apiKeys.ofAccount(account_id)
        if (successor !== undefined && isInactiveUser(tables, account_id, successor.user_id)) return "deprovisioned"
        if (successor === undefined && !force && isLastManagementKey(key, all, now)) return "last"
        const end = key.expires_at !== null && key.expires_at <= at ? {} : { expires_at: at, revoked_at: at }
        tables.apiKeys.set(hash, { ...key, ...end, updated_at: now })
        if (successor !== undefined) tables.apiKeys.set(successor.hash, successor)
        return "retired"
      }),
    rotate: (account_id, hash, { secret_hash, label, now, overlap_millis }) =>
      Effect.map(Clock.currentTimeMillis, (millis) => {
        const key = own(account_id, hash)
        if (key?.kind !== "normal") return Option.none()
        const overlap_ends_at = overlap_millis === null ? null : formatInstant(millis + overlap_millis)
        tables.keySecrets.rotate(hash, secret_hash, millis, Date.parse(overlap_ends_at ?? endlessOverlap))
        const record = { ...key, label, updated_at: now }
        tables.apiKeys.set(hash, record)
        return Option.some({ record, overlap_ends_at })
      }),
    remove: (account_id, hash) => Effect.sync(() => own(account_id, hash) !== undefined && deleteKey(tables, hash))
  })
}
