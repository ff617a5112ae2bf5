import { Provider, type ProviderInfo } from "@gatewarden/contract/internal"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { compareText } from "../value/text.ts"
import { catalogAnswer } from "./CatalogAnswers.ts"
import { ModelCatalog } from "../ports/models.ts"
import type { VisibleModel } from "../catalog/ownModels.ts"

/**
 * Each provider once, by slug. The name, and every fact, is that of the first endpoint that tells it, by model and then as the model lists
 * them.
 */
const providersOf = (models: readonly VisibleModel[]): readonly Provider[] => {
  const bySlug = new Map<string, { readonly name: string; readonly info: ProviderInfo }>()
  // What the operator tells of a provider is not changed by an account's own models.
  for (const { endpoints } of [...models.filter(({ own }) => !own), ...models.filter(({ own }) => own)])
    for (const { provider_slug, provider_name, provider_info = {} } of endpoints) {
      const known = bySlug.get(provider_slug)
      bySlug.set(provider_slug, {
        name: known?.name ?? provider_name,
        info: { ...told(provider_info), ...known?.info }
      })
    }
  return [...bySlug.entries()]
    .sort(([a], [b]) => compareText(a, b))
    .map(([slug, { name, info }]) =>
      // In the order of the schema, as the entity tag stands on it.
      Provider.parse({ name, slug, ...info, privacy_policy_url: info.privacy_policy_url ?? null })
    )
}

/** Without what is named but not told. */
const told = (info: ProviderInfo): ProviderInfo =>
  Object.fromEntries(Object.entries(info).filter(([, value]) => value !== undefined))

/** The providers of all endpoints that the account sees (Rule: models#providers). */
export const listProviders = operation("listProviders")(function* ({ account_id }: Caller) {
  return yield* catalogAnswer(
    account_id,
    "providers",
    Effect.flatMap(ModelCatalog, (catalog) =>
      Effect.map(catalog.visible(account_id), (models) => ({ data: [...providersOf(models)] }))
    )
  )
})
