import type { ByokCredential } from "@gatewarden/contract"
import { Effect, Option } from "effect"
import { ByokCredentials } from "../ports/byok.ts"
import { maxCredentialBytes, oversized } from "../ports/limits.ts"
import { type Tables, ownWorkspace, pageOf } from "./tables/Tables.ts"

type Row = Tables["byokCredentials"] extends Map<string, infer R> ? R : never

const credentialOf = ({ account_id: _, sealed_key: __, ...credential }: Row): ByokCredential => credential

export const byokCredentials = (tables: Tables) => {
  const own = (account_id: string, id: string) => {
    const row = tables.byokCredentials.get(id)
    return row?.account_id === account_id ? row : undefined
  }
  const nextPlace = (group: Pick<ByokCredential, "workspace_id" | "provider" | "is_fallback">) =>
    [...tables.byokCredentials.values()]
      .filter(
        (row) =>
          row.workspace_id === group.workspace_id &&
          row.provider === group.provider &&
          row.is_fallback === group.is_fallback
      )
      .reduce((next, row) => Math.max(next, row.sort_order + 1), 0)

  return ByokCredentials.of({
    insert: (account_id, credential, sealed_key) =>
      Effect.sync(() => {
        if (ownWorkspace(tables, account_id, credential.workspace_id) === undefined) return Option.none()
        const row = { ...credential, sort_order: nextPlace(credential), account_id, sealed_key }
        tables.byokCredentials.set(row.id, row)
        return Option.some(credentialOf(row))
      }),
    find: (account_id, id) => Effect.sync(() => Option.map(Option.fromUndefinedOr(own(account_id, id)), credentialOf)),
    update: (account_id, id, change) =>
      Effect.sync(() => {
        const current = own(account_id, id)
        if (current === undefined) return "missing"
        const changed = { ...current, ...change }
        if (changed.is_byok_only && changed.is_fallback) return "only_and_fallback"
        const refused = oversized(current, changed, maxCredentialBytes)
        if (refused !== undefined) return refused
        const moved = changed.is_fallback !== current.is_fallback
        const row = moved ? { ...changed, sort_order: nextPlace(changed) } : changed
        tables.byokCredentials.set(id, row)
        return credentialOf(row)
      }),
    remove: (account_id, id) =>
      Effect.sync(() => {
        const row = own(account_id, id)
        if (row !== undefined) tables.byokCredentials.delete(id)
        return Option.map(Option.fromUndefinedOr(row), credentialOf)
      }),
    list: (account_id, { workspace_id, provider }, page) =>
      Effect.sync(() =>
        pageOf(
          tables.byokCredentials
            .ofAccount(account_id)
            .filter((row) => row.workspace_id === workspace_id && (provider === undefined || row.provider === provider))
            .map(credentialOf),
          page
        )
      ),
    sealed: (account_id, workspace_id, provider, id) =>
      Effect.sync(() =>
        tables.byokCredentials
          .ofAccount(account_id)
          .filter((row) => row.workspace_id === workspace_id && row.provider === provider)
          .filter((row) => id === undefined || row.id === id)
      )
  })
}
