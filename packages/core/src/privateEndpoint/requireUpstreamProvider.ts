import { Effect, Option } from "effect"
import type { Caller } from "../access/Caller.ts"
import { requireProvider } from "../byok/requireProvider.ts"
import { foldName } from "../catalog/foldedNames.ts"
import { ModelCatalog } from "../ports/models.ts"
import { PrivateProviders } from "../ports/privateEndpoints.ts"

/** The provider of a private endpoint with the name that is shown: a private one of the account, or one that BYOK credentials can be for. */
export const requireUpstreamProvider = Effect.fnUntraced(function* ({ account_id }: Caller, slug: string) {
  const found = yield* (yield* PrivateProviders).find(account_id, slug)
  if (Option.isSome(found)) return { provider: found.value, provider_name: found.value.display_name }
  yield* requireProvider(account_id, slug, "provider_slug")
  const named = yield* (yield* ModelCatalog).providersNamed(account_id, [foldName(slug)])
  const known = named.find(({ provider_slug }) => provider_slug === slug)
  return { provider: undefined, provider_name: known?.provider_name ?? slug }
})
