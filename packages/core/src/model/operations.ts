import {
  type CatalogModel,
  type ImageModel,
  type ModelList,
  type ModelQuery,
  Provider,
  type ProviderInfo,
  type VideoModel
} from "@gatewarden/contract/internal"
import { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import { ModelCatalog, readModel } from "../ports/models.ts"
import { operation } from "../tracing/operation.ts"
import { notFound } from "../value/failure.ts"
import { inSlices } from "../value/inSlices.ts"
import { catalogAnswer, catalogList, catalogText, inCatalogSlot } from "./CatalogAnswers.ts"
import { capabilitiesOf } from "./endpoints.ts"
import { detailsOf, listedModel, parametersOf } from "./modelSorts.ts"
import { feedType, modelFeed, pageOfModels, selectModels } from "./pageOfModels.ts"
import type { VisibleModel } from "../catalog/ownModels.ts"
import { compareText } from "../value/text.ts"

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
  const listed = yield* inCatalogSlot(
    account_id,
    Effect.map(readModel(account_id, name), (model) => model && listedModel(model))
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
