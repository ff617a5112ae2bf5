/** The catalog files that a start writes to the store. */
import { asServer, ModelCatalog } from "@gatewarden/core/store"
import { importCatalog } from "@gatewarden/core/effect"
import { Effect } from "effect"
import { type CatalogFile, readCatalog } from "../config/readCatalog.ts"

const put = (catalog: CatalogFile["catalog"]) =>
  Effect.flatMap(asServer("start", importCatalog(catalog)), (counts) => Effect.logInfo("catalog put", counts))

/** The models that the store does not have. */
const missingOf = Effect.fnUntraced(function* ({ models }: CatalogFile["catalog"]) {
  const known = yield* (yield* ModelCatalog).resolve(
    null,
    models.map(({ id }) => id)
  )
  return { models: models.filter(({ id }) => !known.has(id)) }
})

/**
 * Reads the operator's catalog, and the one that a host ships. What it answers writes all of the first to the store, and of the second the
 * models that the store does not have.
 *
 * Rule: operating#catalog-at-start.
 */
export const readCatalogs = Effect.fnUntraced(function* (own: string | undefined, shipped: string | undefined) {
  const [ownFile, shippedFile] = [
    own === undefined ? undefined : yield* readCatalog(own),
    shipped === undefined ? undefined : yield* readCatalog(shipped)
  ]
  return Effect.gen(function* () {
    if (ownFile !== undefined) yield* put(ownFile.catalog)
    if (shippedFile === undefined) return
    const missing = yield* missingOf(shippedFile.catalog)
    if (missing.models.length > 0) yield* put(missing)
  })
})
