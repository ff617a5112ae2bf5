import type { CatalogModel, ListedModel } from "@gatewarden/contract"
import type { Caller } from "../access/Caller.ts"
import { operation } from "../tracing/operation.ts"
import { ModelCatalog } from "./ModelCatalog.ts"

/** The default size of a page (Rule: models#model-lists). */
const defaultLimit = 500

/** The models that have an endpoint, by id: all of them, or a page if the request has `limit` or `offset`. */
export const listModels = operation("listModels")(function* (
  { account_id }: Caller,
  { limit, offset }: { readonly limit: number | undefined; readonly offset: number | undefined }
) {
  const catalog = yield* ModelCatalog
  const models = (yield* catalog.visible(account_id)).filter(({ endpoints }) => endpoints.length > 0)
  const isWhole = limit === undefined && offset === undefined
  const from = offset ?? 0
  const size = isWhole ? models.length : (limit ?? defaultLimit)
  const next = from + size < models.length ? `?limit=${size}&offset=${from + size}` : null
  return { data: models.slice(from, from + size).flatMap(listed), total_count: models.length, links: { next } }
})

const listed = (model: CatalogModel): readonly ListedModel[] => {
  const { id, canonical_slug, name, created, description, architecture, endpoints } = model
  const [first] = endpoints
  if (first === undefined) return []
  const { tokenizer, ...shown } = architecture
  return [
    {
      id,
      canonical_slug,
      name,
      created,
      description,
      context_length: endpoints.reduce((most, { context_length }) => Math.max(most, context_length), 0),
      architecture: { ...shown, ...(tokenizer === null ? {} : { tokenizer }) },
      pricing: first.pricing,
      top_provider: {
        context_length: first.context_length,
        max_completion_tokens: first.max_completion_tokens,
        is_moderated: false
      },
      supported_parameters: [...new Set(endpoints.flatMap(({ supported_parameters }) => supported_parameters))],
      per_request_limits: null,
      default_parameters: null,
      supported_voices: null,
      links: { details: `/models/${id}/endpoints` }
    }
  ]
}
