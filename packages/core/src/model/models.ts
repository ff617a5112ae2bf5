import type { CatalogModel, ImageModel, ModelList, ModelQuery, VideoModel } from "@gatewarden/contract/internal"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import {
  type NamedModel,
  type ResolvedModel,
  findModel,
  namesToFind,
  recordedName,
  resolveModelName
} from "../catalog/modelNames.ts"
import { ModelCatalog } from "../ports/models.ts"
import { operation } from "../tracing/operation.ts"
import { notFound } from "../value/failure.ts"
import { inSlices } from "../value/inSlices.ts"
import { catalogAnswer, catalogList, catalogText, inCatalogSlot } from "./CatalogAnswers.ts"
import { capabilitiesOf } from "./endpoints.ts"
import { detailsOf, listedModel, parametersOf } from "./modelSorts.ts"
import { feedType, modelFeed, pageOfModels, selectModels } from "./pageOfModels.ts"

/** The number of models that pass the filter (Rule: models#model-lists). */
export const countModels = operation("countModels")(function* (
  { account_id }: Caller,
  query: Pick<ModelQuery, "output_modalities">
) {
  return yield* catalogAnswer(
    account_id,
    `count ${JSON.stringify(query)}`,
    Effect.map(selectModels(account_id, query), ({ length }) => ({ data: { count: length } }))
  )
})

/** A model by any of its names, as lists show it (Rule: models#model-names). One without endpoints is in no list. */
export const getModel = operation("getModel")(function* ({ account_id }: Caller, author: string, slug: string) {
  const name = `${author}/${slug}`
  const named = Effect.flatMap(ModelCatalog, (catalog) => catalog.named(account_id, [name]))
  const listed = yield* inCatalogSlot(
    account_id,
    Effect.map(named, (entries) => {
      const model = findModel(name, entries)
      return model && listedModel(model)
    })
  )
  return listed ?? (yield* notFound())
})

export type ModelListQuery = Partial<ModelQuery> & Pick<ModelQuery, "limit" | "offset">

/** The query string of a page, without `limit` and `offset`, to be followed by them. */
export const searchOf = ({ limit: _, offset: __, ...rest }: ModelListQuery): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(rest))
    if (value !== undefined && value !== false) search.set(name, String(value))
  return search.size === 0 ? "" : `${search.toString()}&`
}

/**
 * The models that pass the filters, in order: all of them, or a page if the request has `limit` or `offset`
 * (Rule: models#model-lists, models#filters-of-model-lists).
 */
export const listModels = operation("listModels")(function* (caller: Caller, query: ModelListQuery) {
  const { account_id } = caller
  const { limit, offset, use_rss, ...filter } = query
  const selected = selectModels(account_id, filter)
  const asked = `models ${JSON.stringify(query)}`
  if (use_rss === true)
    return yield* catalogText<ModelList, never, Effect.Services<typeof selected>>(
      account_id,
      asked,
      feedType,
      Effect.flatMap(selected, (models) => inSlices(modelFeed(models, { limit, offset }, searchOf(query))))
    )
  return yield* catalogList(
    account_id,
    asked,
    Effect.map(selected, (models) => pageOfModels(models, { limit, offset }, searchOf(query)))
  )
})

/** The models of one output modality, in the form of their list (Rule: models#lists-by-kind). */
export const modelsGiving = <M>(account_id: string, output_modalities: string, shown: (model: CatalogModel) => M) =>
  catalogAnswer(
    account_id,
    `kind ${output_modalities}`,
    Effect.map(selectModels(account_id, { output_modalities }), (models) => ({ data: models.map(shown) }))
  )

const videoModel = (model: CatalogModel): VideoModel => {
  const { id, canonical_slug, name, created, description, listing, endpoints } = model
  const parameters = parametersOf(endpoints)
  return {
    id,
    canonical_slug,
    name,
    created,
    description,
    hugging_face_id: listing.hugging_face_id ?? null,
    allowed_passthrough_parameters: [],
    generate_audio: parameters.has("generate_audio"),
    seed: parameters.has("seed"),
    creativity: null,
    pricing_skus: null,
    supported_aspect_ratios: null,
    supported_durations: null,
    supported_frame_images: null,
    supported_resolutions: null,
    supported_sizes: null,
    upscale_factor: null
  }
}

/** Rule: models#lists-by-kind. */
export const listVideoModels = operation("listVideoModels")(function* ({ account_id }: Caller) {
  return yield* modelsGiving(account_id, "video", videoModel)
})

const imageModel = (model: CatalogModel): ImageModel => {
  const { id, name, created, description, architecture, endpoints } = model
  const { input_modalities, output_modalities } = architecture
  return {
    id,
    name,
    created,
    description,
    architecture: { input_modalities, output_modalities },
    ...capabilitiesOf(endpoints),
    endpoints: `/images${detailsOf(id)}`
  }
}

/** Rule: models#lists-by-kind. */
export const listImageModels = operation("listImageModels")(function* ({ account_id }: Caller) {
  return yield* modelsGiving(account_id, "image", imageModel)
})

/**
 * An index of tens of thousands of models by name.
 *
 * Models by id and by slug: the models that have one of the names.
 */
export const modelsNamed = <M extends NamedModel>(
  models: Iterable<M>
): ((names: readonly string[]) => readonly M[]) => {
  const byName = new Map<string, M[]>()
  for (const model of models)
    for (const name of new Set([model.id, recordedName(model).slug])) {
      const others = byName.get(name)
      if (others === undefined) byName.set(name, [model])
      else others.push(model)
    }
  return (names) => names.flatMap((name) => byName.get(name) ?? [])
}

/** How the names are recorded, by name. Names that no model has are absent. */
export function* resolveNames(
  names: readonly string[],
  models: Iterable<NamedModel & Pick<CatalogModel, "architecture">>
): Generator<void, ReadonlyMap<string, ResolvedModel>> {
  const near = modelsNamed(models)
  const resolved = new Map<string, ResolvedModel>()
  for (const name of names) {
    yield
    const model = resolveModelName(name, near(namesToFind([name])))
    if (model !== undefined) resolved.set(name, model)
  }
  return resolved
}
