/** The catalog files that a start writes to the store. */
import type { Configuration } from "../config/readConfiguration.ts"
import { isUnmade } from "../store/openStore.ts"
import { sampleCatalog } from "./sampleCatalog.ts"
import { asServer, ModelCatalog, importCatalog } from "@gatewarden/core/internal"
import { Effect } from "effect"
import type { PutCatalog } from "@gatewarden/contract/internal"
import { readCatalog } from "../config/readCatalog.ts"

const put = (catalog: PutCatalog) =>
  Effect.flatMap(asServer("start", importCatalog(catalog)), (counts) => Effect.logInfo("catalog put", counts))

/** The models that the store does not have. */
const missingOf = Effect.fnUntraced(function* ({ models }: PutCatalog) {
  const known = yield* (yield* ModelCatalog).resolve(
    null,
    models.map(({ id }) => id)
  )
  return { models: models.filter(({ id }) => !known.has(id)) }
})

/** The sample catalog, for a store that this start creates. */
const sampleFor = (configuration: Configuration): string | undefined => {
  const { GATEWARDEN_CATALOG, GATEWARDEN_SAMPLE_CATALOG } = configuration.values
  return GATEWARDEN_SAMPLE_CATALOG && GATEWARDEN_CATALOG === undefined && isUnmade(configuration)
    ? sampleCatalog
    : undefined
}

/**
 * Reads the operator's catalog, and the one that a host ships or the sample. Call it before the store is opened. `fill` writes all of the
 * first to the store, and of the second the models that the store does not have; `hasSample`: the second is the sample.
 *
 * Rule: operating#catalog-at-start.
 */
export const readCatalogs = Effect.fnUntraced(function* (configuration: Configuration, shipped?: string) {
  const own = configuration.values.GATEWARDEN_CATALOG
  const beside = shipped ?? sampleFor(configuration)
  const [ownFile, besideFile] = [
    own === undefined ? undefined : yield* readCatalog(own),
    beside === undefined ? undefined : yield* readCatalog(beside)
  ]
  const fill = Effect.gen(function* () {
    if (ownFile !== undefined) yield* put(ownFile)
    if (besideFile === undefined) return
    const missing = yield* missingOf(besideFile)
    if (missing.models.length > 0) yield* put(missing)
  })
  return { fill, hasSample: beside === sampleCatalog }
})
