import { type CatalogModel, ListedModel, type ModelList } from "@gatewarden/contract"
import type { List } from "../value/printed.ts"
import { listedModel } from "./listedModel.ts"

/** The default size of a page (Rule: models#model-lists). */
const defaultLimit = 500

export interface ModelPage {
  readonly limit: number | undefined
  readonly offset: number | undefined
}

type Endpoints = CatalogModel["endpoints"]

/** The part of the models that the request asks for: all of them, or a page if it has `limit` or `offset`. */
export const pageOf = <M>(models: readonly M[], { limit, offset }: ModelPage) => {
  const isWhole = limit === undefined && offset === undefined
  const from = offset ?? 0
  const size = limit ?? defaultLimit
  return {
    page: isWhole ? models : models.slice(from, from + size),
    /** The parameters of the next page, if this one has so many of the models; undefined if it is the last. */
    nextAfter: (shown: number): string | undefined =>
      from + shown < models.length ? `limit=${size}&offset=${from + shown}` : undefined
  }
}

/** A page of models, each with all of its endpoints or those that `endpointsOf` leaves. `search` is repeated in `links.next`. */
export const pageOfModels = <M extends CatalogModel>(
  models: readonly M[],
  asked: ModelPage,
  search: string,
  endpointsOf: (model: M) => Endpoints = ({ endpoints }) => endpoints
): List<ModelList> => {
  const { page, nextAfter } = pageOf(models, asked)
  return {
    name: "data",
    entries: listed(page, endpointsOf),
    rest: (shown) => {
      const next = nextAfter(shown)
      return {
        object: "list",
        total_count: models.length,
        links: { next: next === undefined ? null : `?${search}${next}` }
      } satisfies Omit<ModelList, "data">
    }
  }
}

/** One after another, as they are printed: a page that ends by bytes makes no more of them. */
function* listed<M extends CatalogModel>(models: readonly M[], endpointsOf: (model: M) => Endpoints) {
  for (const model of models) {
    const listed = listedModel(model, endpointsOf(model))
    // Stores read JSON with its fields in orders of their own; the entity tag stands on the order.
    if (listed !== undefined) yield ListedModel.parse(listed)
  }
}
