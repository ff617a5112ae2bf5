import { type CatalogModel, ListedModel, type ModelList } from "@gatewarden/contract"
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
  const size = isWhole ? models.length : (limit ?? defaultLimit)
  return {
    page: models.slice(from, from + size),
    next: from + size < models.length ? { from: from + size, size } : null
  }
}

/** A page of models, each with all of its endpoints or those that `endpointsOf` leaves. `search` is repeated in `links.next`. In steps. */
export function* pageOfModels<M extends CatalogModel>(
  models: readonly M[],
  asked: ModelPage,
  search: string,
  endpointsOf: (model: M) => Endpoints = ({ endpoints }) => endpoints
): Generator<void, ModelList> {
  const { page, next } = pageOf(models, asked)
  const data: ListedModel[] = []
  for (const model of page) {
    const listed = listedModel(model, endpointsOf(model))
    // Stores read JSON with its fields in orders of their own; the entity tag stands on the order.
    if (listed !== undefined) data.push(ListedModel.parse(listed))
    yield
  }
  return {
    object: "list",
    data,
    total_count: models.length,
    links: { next: next === null ? null : `?${search}limit=${next.size}&offset=${next.from}` }
  }
}
