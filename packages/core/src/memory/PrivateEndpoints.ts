import { Effect, Option } from "effect"
import { type PrivateEndpointGuard, PrivateEndpoints, type StoredPrivateEndpoint } from "../ports/privateEndpoints.ts"
import { byCreation, providerPlace, type Tables, withoutOwner } from "./tables/Tables.ts"

const isMeant = (row: StoredPrivateEndpoint, { status, validated, deployment }: PrivateEndpointGuard): boolean =>
  (status?.includes(row.status) ?? true) &&
  (validated === undefined || row.validated === validated) &&
  (deployment === undefined ||
    (row.base_url === deployment.base_url && row.upstream_model_id === deployment.upstream_model_id))

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
    update: (account_id, id, change, guard) =>
      Effect.sync(() => {
        const row = own(account_id, id)
        if (row === undefined) return "missing"
        if (!isMeant(row, guard)) return "refused"
        const next = { ...row, ...change }
        rows.set(id, next)
        return withoutOwner<StoredPrivateEndpoint>(next)
      }),
    remove: (account_id, id, guard) =>
      Effect.sync(() => {
        const row = own(account_id, id)
        if (row === undefined) return "missing"
        if (!isMeant(row, guard)) return "refused"
        rows.delete(id)
        return "removed"
      })
  })
}
