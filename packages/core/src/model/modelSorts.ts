/**
 * The orders of model lists. Models without the value come last, whatever the direction; of equal values the smaller id is first.
 *
 * Rule: models#filters-of-model-lists.
 */
import type { CatalogModel, ListedModel, ModelSort } from "@gatewarden/contract/internal"
import { isKnownPrice, unitsOf } from "../value/money.ts"

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

/** What was measured of a model; `undefined`: nothing. */
export interface ModelMeasures {
  /** Prompt and completion of the last seven days. */
  readonly tokens?: bigint | undefined
  /** The best median of an endpoint: milliseconds to the first token, tokens a second. */
  readonly latency?: number | undefined
  readonly throughput?: number | undefined
}

interface Row {
  readonly value: (model: CatalogModel, measures: ModelMeasures) => number | bigint | null | undefined
  readonly direction: "ascending" | "descending"
  /** What has to be measured first. */
  readonly needs?: "tokens" | "speed"
}

/** Prompt and completion together: the order of their average. */
const price: Row["value"] = ({ endpoints: [first] }) => {
  if (first === undefined) return undefined
  const { prompt, completion } = first.pricing
  return isKnownPrice(prompt) && isKnownPrice(completion) ? unitsOf(prompt) + unitsOf(completion) : undefined
}

const popularity: Row = { value: (_, { tokens }) => tokens, direction: "descending", needs: "tokens" }

const indexed = (name: "intelligence_index" | "coding_index" | "agentic_index"): Row => ({
  value: ({ listing }) => listing.benchmarks?.artificial_analysis?.[name],
  direction: "descending"
})

export const modelSortRows: Readonly<Record<ModelSort, Row>> = {
  "most-popular": popularity,
  "top-weekly": popularity,
  newest: { value: ({ created }) => created, direction: "descending" },
  "pricing-low-to-high": { value: price, direction: "ascending" },
  "pricing-high-to-low": { value: price, direction: "descending" },
  "context-high-to-low": { value: ({ endpoints }) => largestContext(endpoints), direction: "descending" },
  "throughput-high-to-low": { value: (_, { throughput }) => throughput, direction: "descending", needs: "speed" },
  "latency-low-to-high": { value: (_, { latency }) => latency, direction: "ascending", needs: "speed" },
  "intelligence-high-to-low": indexed("intelligence_index"),
  "coding-high-to-low": indexed("coding_index"),
  "agentic-high-to-low": indexed("agentic_index"),
  "design-arena-elo-high-to-low": {
    value: ({ listing }) => {
      const scores = (listing.benchmarks?.design_arena ?? []).map(({ elo }) => elo)
      return scores.length === 0 ? undefined : Math.max(...scores)
    },
    direction: "descending"
  }
}

/** The models, which are by id, in the order of the sort. */
export const sortedModels = <M extends CatalogModel>(
  models: readonly M[],
  sort: ModelSort,
  measuresOf: (model: M) => ModelMeasures
): readonly M[] => {
  const { value, direction } = modelSortRows[sort]
  const sign = direction === "ascending" ? 1 : -1
  return models
    .map((model) => ({ model, value: value(model, measuresOf(model)) ?? undefined }))
    .sort((a, b) => {
      if (a.value === undefined || b.value === undefined)
        return Number(a.value === undefined) - Number(b.value === undefined)
      return a.value === b.value ? 0 : a.value < b.value ? -sign : sign
    })
    .map(({ model }) => model)
}
