/** The models of the installation with their endpoints, as its operator last wrote them. */
import type { CatalogModel } from "@gatewarden/contract"
import { Context, type Effect } from "effect"
import type { ResolvedModel } from "./resolveModelName.ts"

export class ModelCatalog extends Context.Service<
  ModelCatalog,
  {
    /** Writes every model, all or nothing; one that exists is replaced with its whole endpoint list. Ids are distinct. */
    readonly upsert: (models: readonly CatalogModel[], now: string) => Effect.Effect<void>
    /**
     * Every entry that one of the names may mean, with all entries of the same slug, each once, by id. `findModel` picks the one
     * that a name means.
     */
    readonly named: (names: readonly string[]) => Effect.Effect<readonly CatalogModel[]>
    /** How the names are recorded, by name. Names that the catalog does not know are absent. */
    readonly resolve: (names: readonly string[]) => Effect.Effect<ReadonlyMap<string, ResolvedModel>>
  }
>()("gatewarden/ModelCatalog") {}
