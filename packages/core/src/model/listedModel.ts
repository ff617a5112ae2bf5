import type { CatalogModel, ListedModel } from "@gatewarden/contract"

type Endpoints = CatalogModel["endpoints"]

/** The model as lists show it, with these of its endpoints; undefined if there are none. */
export const listedModel = (model: CatalogModel, endpoints: Endpoints = model.endpoints): ListedModel | undefined => {
  const { id, canonical_slug, name, created, description, architecture, listing } = model
  const [first] = endpoints
  if (first === undefined) return undefined
  const { tokenizer, ...shown } = architecture
  const { benchmarks, hugging_face_id, knowledge_cutoff, expiration_date } = listing
  return {
    id,
    object: "model",
    owned_by: authorOf(id),
    canonical_slug,
    name,
    created,
    description,
    context_length: largestContext(endpoints),
    architecture: { ...shown, ...(tokenizer === null ? {} : { tokenizer }) },
    pricing: first.pricing,
    top_provider: {
      context_length: first.context_length,
      max_completion_tokens: first.max_completion_tokens,
      is_moderated: false
    },
    supported_parameters: [...parametersOf(endpoints)],
    per_request_limits: null,
    default_parameters: listing.default_parameters ?? null,
    supported_voices: listing.supported_voices ?? null,
    ...(benchmarks === undefined ? {} : { benchmarks }),
    ...(hugging_face_id === undefined ? {} : { hugging_face_id }),
    ...(knowledge_cutoff === undefined ? {} : { knowledge_cutoff }),
    ...(expiration_date === undefined ? {} : { expiration_date }),
    links: { details: detailsOf(id) }
  }
}

/** Below the base path. */
export const detailsOf = (id: string): string => `/models/${id}/endpoints`

/** Of an id or slug. */
export const authorOf = (id: string): string => id.slice(0, id.indexOf("/"))

export const largestContext = (endpoints: Endpoints): number =>
  endpoints.reduce((most, { context_length }) => Math.max(most, context_length), 0)

/** Parameters that at least one of the endpoints takes. */
export const parametersOf = (endpoints: Endpoints): ReadonlySet<string> =>
  new Set(endpoints.flatMap(({ supported_parameters }) => supported_parameters))
