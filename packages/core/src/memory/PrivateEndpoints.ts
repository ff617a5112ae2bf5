import { Effect, Option } from "effect"
import { PrivateEndpoints, type StoredPrivateEndpoint } from "../privateEndpoint/PrivateEndpoints.ts"
import { byCreation, providerPlace, type Tables, withoutOwner } from "./tables/Tables.ts"

export const privateEndpoints = ({ privateEndpoints: rows, privateProviders: providers }: Tables) => {
  const own = (account_id: string, id: string) => {
    const row = rows.get(id)
    return row?.account_id === account_id ? row : undefined
  }
  return PrivateEndpoints.of({
    insert: (account_id, endpoint, { limit, under }) =>
      Effect.sync(() => {
        if (under !== undefined && !providers.has(providerPlace(account_id, under))) return "missing"
        if (rows.countOf(account_id) >= limit) return "full"
        rows.set(endpoint.id, { ...endpoint, account_id })
        return "inserted"
      }),
    find: (account_id, id) =>
      Effect.sync(() => Option.map(Option.fromUndefinedOr(own(account_id, id)), (row) => withoutOwner(row))),
    list: (account_id) =>
      Effect.sync(() =>
        rows
          .ofAccount(account_id)
          .map((row) => withoutOwner<StoredPrivateEndpoint>(row))
          .sort(byCreation)
      ),
    update: (account_id, id, change, { status, validated, deployment }) =>
      Effect.sync(() => {
        const row = own(account_id, id)
        if (row === undefined) return "missing"
        const isMeant =
          (status?.includes(row.status) ?? true) &&
          (validated === undefined || row.validated === validated) &&
          (deployment === undefined ||
            (row.base_url === deployment.base_url && row.upstream_model_id === deployment.upstream_model_id))
        if (!isMeant) return "refused"
        const next = { ...row, ...change }
        rows.set(id, next)
        return withoutOwner<StoredPrivateEndpoint>(next)
      }),
    remove: (account_id, id, draft_only) =>
      Effect.sync(() => {
        const row = own(account_id, id)
        if (row === undefined) return "missing"
        if (draft_only && row.status !== "draft") return "refused"
        rows.delete(id)
        return "removed"
      })
  })
}
