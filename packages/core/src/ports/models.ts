/**
 * The models of the installation with their endpoints, which the operator writes, and the own models of accounts.
 *
 * Reads return the models that an account sees; `null`: those that all accounts share.
 */
import type { CatalogModel } from "@gatewarden/contract"
import { Context, Effect } from "effect"
import { type ProviderNames, type ResolvedModel, findModel } from "../catalog/modelNames.ts"
import type { OwnModelLimits, VisibleModel, VisibleName } from "../catalog/ownModels.ts"

export class ModelCatalog extends Context.Service<
  ModelCatalog,
  {
    /** Writes every model, all or nothing; replaces an existing one with its whole endpoint list. Ids are distinct. */
    readonly upsert: (models: readonly CatalogModel[], now: string) => Effect.Effect<void>
    /**
     * Writes own models of the account in the same way. False, and nothing was written, if it would then have more than the limits. The
     * caller refuses names of the installation's catalog; reads hide own models with such names.
     */
    readonly upsertOwn: (
      account_id: string,
      models: readonly CatalogModel[],
      limits: OwnModelLimits
    ) => Effect.Effect<boolean>
    /**
     * Every entry that one of the names may refer to, with all entries of the same slug, each once, by id, and without what makes an entry
     * long: an account may have a thousand of one slug. `findModel` selects the one for a name.
     */
    readonly named: (account_id: string | null, names: readonly string[]) => Effect.Effect<readonly VisibleName[]>
    /** The entries of these ids, as `named` found them, whole. */
    readonly read: (account_id: string | null, ids: readonly string[]) => Effect.Effect<readonly VisibleModel[]>
    /** Every entry that the account sees, by id. Reads the whole catalog: for lists, not for decisions. */
    readonly visible: (account_id: string) => Effect.Effect<readonly VisibleModel[]>
    /** The recorded form of names, by name; unknown names are absent. */
    readonly resolve: (
      account_id: string | null,
      names: readonly string[]
    ) => Effect.Effect<ReadonlyMap<string, ResolvedModel>>
    /** The entries whose id is one of the names with a variant. Reads every entry: not for requests. */
    readonly variantsNamed: (
      account_id: string,
      names: readonly string[]
    ) => Effect.Effect<readonly Pick<CatalogModel, "id" | "canonical_slug">[]>
    /** The names of providers and endpoints that go by one of the folded names, each once. Reads every entry: not for requests. */
    readonly providersNamed: (
      account_id: string | null,
      names: readonly string[]
    ) => Effect.Effect<readonly ProviderNames[]>
  }
>()("gatewarden/ModelCatalog") {}

/** The entry that a name means, whole. Rule: models#model-names. */
export const readModel = Effect.fnUntraced(function* (account_id: string, name: string) {
  const catalog = yield* ModelCatalog
  const meant = findModel(name, yield* catalog.named(account_id, [name]))
  return meant === undefined ? undefined : (yield* catalog.read(account_id, [meant.id]))[0]
})
