import { Effect } from "effect"
import { inSlices } from "../value/inSlices.ts"
import {
  type NamedModel,
  type ProviderNames,
  namesToFind,
  providerNamesOf,
  recordedName,
  resolveNames,
  splitVariant
} from "../catalog/modelNames.ts"
import { ModelCatalog } from "../ports/models.ts"
import { claimsOf, visibleModels, type VisibleModel, type VisibleName } from "../catalog/ownModels.ts"
import {
  type PrivateEndpointRow,
  tagOfPrivateEndpoint,
  withPrivateEndpoints
} from "../privateEndpoint/withPrivateEndpoints.ts"
import { byCreation, providerPlace, type Tables } from "./tables/Tables.ts"

export const modelCatalog = ({ models: table, privateEndpoints, privateProviders }: Tables) => {
  /** The active private endpoints of the account. */
  const rowsOf = (account_id: string | null): readonly PrivateEndpointRow[] =>
    account_id === null
      ? []
      : privateEndpoints
          .ofAccount(account_id)
          .filter(({ status }) => status === "active")
          .sort(byCreation)
          .map((endpoint) => ({
            endpoint,
            provider: privateProviders.get(providerPlace(account_id, endpoint.provider_slug))
          }))

  /** What an account sees of every slug that the names may mean. */
  const meant = (account_id: string | null, names: readonly string[]): readonly VisibleModel[] => {
    const wanted = namesToFind(names)
    const own = account_id === null ? [] : table.ofFamilies(account_id, wanted)
    // Models of the installation that take the name of one of its own, too.
    return visibleModels(table.ofFamilies(null, [...wanted, ...own.flatMap(claimsOf)]), own)
  }

  const allOf = (owner: string | null) => [...table.of(owner).values()].map(({ model }) => model)

  return ModelCatalog.of({
    upsert: (models, now) =>
      inSlices(
        (function* () {
          if (yield* table.differs(null, models)) yield* table.put(null, models, now)
        })()
      ),
    upsertOwn: (account_id, models, limits) =>
      inSlices(
        (function* () {
          const differs = yield* table.differs(account_id, models)
          return differs ? yield* table.put(account_id, models, "", limits) : true
        })()
      ),
    named: (account_id, names) =>
      Effect.sync(() => {
        const visible = meant(account_id, names)
        const wanted = new Set(namesToFind(names))
        const slugOf = (model: VisibleModel) => recordedName(model).slug
        const slugs = new Set(visible.flatMap((model) => (wanted.has(model.id) ? [slugOf(model)] : [])))
        const found = visible.filter((model) => slugs.has(slugOf(model)) || wanted.has(slugOf(model)))
        return found.map(({ id, canonical_slug, name, architecture, own }): VisibleName => ({
          id,
          canonical_slug,
          name,
          architecture,
          ...(own && { own })
        }))
      }),
    read: (account_id, ids) =>
      Effect.sync(() => {
        const wanted = new Set(ids)
        const found = meant(account_id, ids).filter(({ id }) => wanted.has(id))
        return withPrivateEndpoints(found, rowsOf(account_id))
      }),
    visible: (account_id) =>
      Effect.sync(() => withPrivateEndpoints(visibleModels(allOf(null), allOf(account_id)), rowsOf(account_id))),
    resolve: (account_id, names) => Effect.suspend(() => inSlices(resolveNames(names, meant(account_id, names)))),
    variantsNamed: (account_id, names) =>
      inSlices(
        (function* () {
          const wanted = new Set(names)
          const found: NamedModel[] = []
          for (const owner of [null, account_id])
            for (const { id, canonical_slug } of allOf(owner)) {
              const { slug, variant } = splitVariant(id)
              if (variant !== "" && wanted.has(slug)) found.push({ id, canonical_slug })
              yield
            }
          return found
        })()
      ),
    providersNamed: (account_id, names) =>
      inSlices(
        (function* () {
          const wanted = new Set(names)
          const found = new Map<string, ProviderNames>()
          for (const owner of account_id === null ? [null] : [null, account_id])
            for (const { model } of table.of(owner).values()) {
              for (const { provider_slug, provider_name, tag } of model.endpoints) {
                const names = { provider_slug, provider_name, tag }
                if (providerNamesOf(names).some((name) => wanted.has(name))) found.set(JSON.stringify(names), names)
              }
              yield
            }
          for (const { endpoint } of rowsOf(account_id)) {
            const { provider_slug, provider_name, id } = endpoint
            const names = { provider_slug, provider_name, tag: tagOfPrivateEndpoint(id) }
            if (providerNamesOf(names).some((name) => wanted.has(name))) found.set(JSON.stringify(names), names)
          }
          return [...found.values()]
        })()
      )
  })
}
