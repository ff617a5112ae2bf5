import { Effect, Option } from "effect"
import { PrivateProviders } from "../ports/privateEndpoints.ts"
import { providerPlace, type Tables, withoutOwner } from "./tables/Tables.ts"

export const privateProviders = ({ privateProviders: rows, privateEndpoints: endpoints }: Tables) => {
  const find = (account_id: string, slug: string) =>
    Option.map(Option.fromUndefinedOr(rows.get(providerPlace(account_id, slug))), withoutOwner)
  return PrivateProviders.of({
    insert: (account_id, provider, limit) =>
      Effect.sync(() => {
        const place = providerPlace(account_id, provider.slug)
        if (rows.has(place)) return "taken"
        if (rows.countOf(account_id) >= limit) return "full"
        rows.set(place, { ...provider, account_id })
        return "inserted"
      }),
    find: (account_id, slug) => Effect.sync(() => find(account_id, slug)),
    list: (account_id) =>
      Effect.sync(() =>
        rows
          .ofAccount(account_id)
          .map(withoutOwner)
          .sort((a, b) => (a.created_at + a.slug < b.created_at + b.slug ? -1 : 1))
      ),
    update: (account_id, slug, change) =>
      Effect.sync(() => {
        const place = providerPlace(account_id, slug)
        const row = rows.get(place)
        if (row !== undefined) rows.set(place, { ...row, ...change })
        return find(account_id, slug)
      }),
    remove: (account_id, slug) =>
      Effect.sync(() => {
        const place = providerPlace(account_id, slug)
        if (!rows.has(place)) return "missing"
        if (endpoints.ofAccount(account_id).some(({ provider_slug }) => provider_slug === slug)) return "used"
        rows.delete(place)
        return "removed"
      })
  })
}
