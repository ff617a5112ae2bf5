/**
 * The models of the installation with their endpoints, as its operator last wrote them, and those that accounts have of their own.
 *
 * Reads are of what an account sees; `null` sees what all accounts share.
 */
import type { CatalogModel } from "@gatewarden/contract"
import { Context, type Effect } from "effect"
import type { VisibleModel } from "./ownModels.ts"
import type { ResolvedModel } from "./resolveModelName.ts"

export class ModelCatalog extends Context.Service<
  ModelCatalog,
  {
    /** Writes every model, all or nothing; one that exists is replaced with its whole endpoint list. Ids are distinct. */
    readonly upsert: (models: readonly CatalogModel[], now: string) => Effect.Effect<void>
    /**
     * Writes models of the account's own in the same way. False, and nothing was written, when it would then have more than `limit`.
     * Names that the installation's catalog has are for the caller to refuse; reads hide what has them.
     */
    readonly upsertOwn: (account_id: string, models: readonly CatalogModel[], limit: number) => Effect.Effect<boolean>
    /**
     * Every entry that one of the names may mean, with all entries of the same slug, each once, by id. `findModel` picks the one
     * that a name means.
     */
    readonly named: (account_id: string | null, names: readonly string[]) => Effect.Effect<readonly VisibleModel[]>
    /** Every entry that the account sees, by id. Reads the whole catalog: for lists, not for decisions. */
    readonly visible: (account_id: string) => Effect.Effect<readonly VisibleModel[]>
    /** How the names are recorded, by name. Names that the catalog does not know are absent. */
    readonly resolve: (
      account_id: string | null,
      names: readonly string[]
    ) => Effect.Effect<ReadonlyMap<string, ResolvedModel>>
    /** Those of the folded names that a provider or an endpoint of the catalog goes by. Reads every entry: not for requests. */
    readonly providersNamed: (account_id: string | null, names: readonly string[]) => Effect.Effect<ReadonlySet<string>>
  }
>()("gatewarden/ModelCatalog") {}
